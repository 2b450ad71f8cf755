"""Posts to several groups: one status, an entry and votes in each."""

import re

from flask.testing import FlaskClient

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import NEW, ids_on, shown
from tests.support.timelines import home, home_timeline
from tests.support.world import Web, World
from webapp.community.groups import voting
from webapp.community.groups.posts import drop_post
from webapp.community.groups.projections import place_posts
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events.outbox import Event
from webapp.core.store import Site, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.quotes.listing import quotes_page
from webapp.statuses.visibility.groups import GroupKind


def post_to(site: Site, uid: int, *gids: int, text: str = "a song", quote: int = 0) -> int:
    """Post to groups."""
    form_key = f"form-of-{uid}-{text}".replace(" ", "-")
    return statuses.post(site, uid, parse(text), form_key, groups=gids, quote=quote or None)


def test_each_group_has_its_own_entry_and_votes(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    first, second = (make_group(ann, ben, slug=slug) for slug in ("birders", "walkers"))
    song = world.do(post_to, ann, first, second)
    assert shown(world, first, ben) == shown(world, second, None) == [song]
    assert voting.vote(world, ben, first, song, "up") == 2
    assert voting.vote(world, ben, second, song, "down") == 0
    assert home(world, ben) == [song], "once"
    drop_post(world, ann, first, song)
    assert shown(world, first, ben) == []
    assert shown(world, second, ben) == [song]
    world.do(statuses.delete, ann, song)
    assert shown(world, second, ben) == []


def test_home_names_groups_whose_pages_it_has_not_read_yet(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    world.do(post_to, ann, gid)
    assert home_timeline(world, ben).viewer_state.group_names == {gid: "Birders"}


def test_the_page_of_quotes_names_groups(world: World, make_group: MakeGroup) -> None:
    (ann,) = world.people("ann")
    gid, quoted = make_group(ann), world.post(ann)
    world.do(post_to, ann, gid, quote=quoted)
    found = quotes_page(world.db, quoted, None, 9, None)
    assert found.page.viewer_state.group_names == {gid: "Birders"}


def test_a_removed_post_stays_away_if_its_event_is_repeated(
    world: World, make_group: MakeGroup
) -> None:
    (ann,) = world.people("ann")
    gid = make_group(ann)
    song = world.do(post_to, ann, gid)
    drop_post(world, ann, gid, song)
    data = {"id": str(song), "author": str(ann), "group": str(gid)}
    event = Event("1-0", partition_of(ann), "test", 1, "posted", "-", data)
    place_posts(world.context, [event])
    assert shown(world, gid, ann) == []


def test_several_groups_must_be_open_and_ones_own(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    open_ones = [make_group(ann, slug=f"open-{n}") for n in range(4)]
    closed = make_group(ann, slug="closed", kind=GroupKind.CLOSED)
    news = make_group(ann, slug="news", kind=GroupKind.ANNOUNCEMENTS)
    for gids in ((open_ones[0], closed), (closed, open_ones[0]), (news, open_ones[0]), open_ones):
        world.refuses(Conflict, post_to, ann, *gids)
    world.refuses(Forbidden, post_to, ben, *open_ones[:2])
    world.refuses(NotFound, post_to, ann, open_ones[0], 99)
    assert post_to(world, ann, *open_ones[:3])


def key_of(page: str) -> str:
    found = re.search(r'name="key"[^>]*value="([^"]+)"', page)
    assert found
    return found[1]


def choice(client: FlaskClient, **fields: str) -> str:
    """Press the button that offers groups, and return the page that it leads to."""
    key = key_of(client.get("/statuses/new").text)
    response = client.post("/drafts", data={"key": key, "to_groups": "1", **fields})
    return client.get(response.location).text


def test_the_composer_offers_ones_groups_and_loses_nothing(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for slug, kind in (("birders", "open"), ("walkers", "open"), ("nests", "closed")):
        ann.post("/groups/new", data=NEW | {"slug": slug, "name": slug.title(), "kind": kind})
    assert 'value="2"' not in choice(ben), "no group of others"
    assert "Walkers" in choice(ann), "of an empty form too"
    page = choice(ann, text="a song")
    assert "a song" in page and "Nests" in page
    form = {"text": "a song", "key": key_of(page)}
    refused = ann.post("/statuses", data={**form, "group": ["1", "2", "3", "9"]})
    assert refused.status_code == 422 and "at most three" in refused.text
    assert "Walkers" in refused.text
    refused = ann.post("/statuses", data={**form, "group": ["1", "3"]})
    assert refused.status_code == 409 and "a song" in refused.text
    assert re.findall(r'value="(\d)" checked', refused.text) == ["1", "3"]
    assert ann.post("/statuses", data={**form, "group": ["1", "2"]}).status_code == 303
    for slug in ("birders", "walkers"):
        assert len(ids_on(ben.get(f"/groups/{slug}").text)) == 1
    assert ben.get("/@ann").text.count("/groups/2") == 1


def test_a_draft_keeps_its_groups(ann: FlaskClient) -> None:
    for slug in ("birders", "walkers"):
        ann.post("/groups/new", data=NEW | {"slug": slug, "name": slug.title()})
    key = key_of(ann.get("/statuses/new").text)
    ann.post("/drafts", data={"key": key, "text": "later", "group": ["1", "2"]})
    page = ann.get(f"/drafts/{key}").text
    assert "Birders and Walkers" in page
    assert re.findall(r'name="group" value="(\d)"', page) == ["1", "2"]

"""Groups whose home choice is a digest: a line says how many posts are new."""

from flask.testing import FlaskClient

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import NEW, post, post_to
from tests.support.timelines import home
from tests.support.world import World
from webapp.community.groups import store
from webapp.community.groups.models import HomeChoice
from webapp.core.errors import Forbidden
from webapp.core.store import Site
from webapp.statuses.visibility.groups import GroupKind
from webapp.timelines.home.frame import digest_marks, group_digests


def counts(site: Site, uid: int) -> dict[str, int]:
    marks = site.db.read(digest_marks(uid, is_on=True))
    return {one.name: one.new_posts for one in group_digests(site.db, uid, marks)}


def test_a_digest_counts_from_the_last_visit_and_shows_no_post(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=GroupKind.CLOSED)
    world.do(post, ann, gid, "before")
    store.set_home(world, ben, gid, HomeChoice.DIGEST)
    assert counts(world, ben) == {}
    posted = [post(world, ann, gid, f"post {n}") for n in range(3)]
    world.apply_events()
    assert counts(world, ben) == {"Birders": 3}
    assert set(home(world, ben)).isdisjoint(posted)
    assert counts(world, ann) == counts(world, cat) == {}
    store.visit(world, ben, gid)
    store.visit(world, ann, gid)
    assert counts(world, ben) == counts(world, ann) == {}
    world.refuses(Forbidden, store.set_home, cat, gid, HomeChoice.DIGEST)


def test_removal_ends_the_count_at_once(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben, kind=GroupKind.CLOSED)
    store.set_home(world, ben, gid, HomeChoice.DIGEST)
    world.do(post, ann, gid)
    assert counts(world, ben)
    store.remove(world, ann, gid, ben, "remove")
    assert counts(world, ben) == {}, "before any event is applied"


def test_the_line_is_at_the_top_of_home(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    assert ben.post("/groups/birders/home", data={"shown": "maybe"}).status_code == 422
    assert ben.post("/groups/birders/home", data={"shown": "digest"}).status_code == 303
    post_to(ann, "birders", "a song")
    page = ben.get("/home").text
    assert "<b>1</b> new in <bdi>Birders</bdi>" in page
    assert "new in" not in ann.get("/home").text
    ben.get("/groups/birders", headers={"Sec-Purpose": "prefetch"})
    assert "new in" in ben.get("/home").text, "a page loaded ahead is no visit"
    assert "a song" in ben.get("/groups/birders").text
    assert "new in" not in ben.get("/home").text

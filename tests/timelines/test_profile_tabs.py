"""The media and likes tabs of profiles: what they list, and who may read them."""

import io
import re
from uuid import uuid4

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage

from tests.support import paging
from tests.support.pages import check_error, page_text, post_status, status_ids
from tests.support.settings import with_settings
from tests.support.statuses.pictures import photo
from tests.support.world import Web, World
from webapp.accounts import store as accounts
from webapp.core.forms.fields import UploadedPicture
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, keys, store as statuses
from webapp.statuses.attachments import staging
from webapp.timelines.profile_tabs.store import Tab, tab_page


def post_picture(site: Site, uid: int, text: str, **options: object) -> int:
    """Post a status with a picture and return its id."""
    upload = UploadedPicture(FileStorage(io.BytesIO(photo()), content_type="image/png"), "")
    pictures = staging.stage(site, uid, [upload])
    form = f"form-{text}".replace(" ", "-")
    return statuses.post(site, uid, parse(text), form, pictures=pictures, **options)


def listed(site: Site, tab: Tab, uid: int) -> list[int]:
    """Return the ids of all pages of a tab, as a visitor reads them."""
    return paging.ids(lambda before: tab_page(site, tab, uid, None, before).timeline)


def test_media_lists_posts_and_replies_with_pictures_until_they_are_deleted(world: World) -> None:
    world = with_settings(world, page_size=2)
    ann, ben = world.people("ann", "ben")
    statuses.post(world, ann, parse("no picture"), "form")
    other = statuses.post(world, ben, parse("say something"), "form")
    shown = [post_picture(world, ann, f"one {number}") for number in range(4)]
    shown.append(post_picture(world, ann, "a reply", reply=other))
    assert listed(world, Tab.MEDIA, ann) == shown[::-1]
    for status_id in shown[1:]:
        statuses.delete(world, ann, status_id)
    assert listed(world, Tab.MEDIA, ann) == shown[:1]
    world.do(World.delete_account, ann, None)
    assert not world.db.run(("EXISTS", keys.profile_media(ann)))


def test_likes_come_newest_like_first_and_go_when_taken_back(world: World) -> None:
    world = with_settings(world, page_size=2)
    ann, ben = world.people("ann", "ben")
    ids = [world.post(ben, f"{n}") for n in range(5)]
    for status_id in (ids[3], ids[0], ids[4], ids[1]):
        world.like(ann, status_id)
    assert listed(world, Tab.LIKES, ann) == [ids[1], ids[4], ids[0], ids[3]]
    world.unlike(ann, ids[4])
    statuses.delete(world, ben, ids[0])
    assert listed(world, Tab.LIKES, ann) == [ids[1], ids[3]]


def test_nobody_learns_how_many_pictures_a_protected_member_has(world: World) -> None:
    world = with_settings(world, page_size=2)
    ann, ben = world.people("ann", "ben")
    for number in range(6):
        post_picture(world, ann, f"one {number}")
    world.protect(ann, True)
    for viewer in (None, world.db.read(accounts.get(ben))):
        page = tab_page(world, Tab.MEDIA, ann, viewer).timeline
        assert (page.items, page.next) == ((), None)
    own = tab_page(world, Tab.MEDIA, ann, world.db.read(accounts.get(ann))).timeline
    assert len(own.items) == 2 and own.next


def test_the_cursor_of_media_names_no_picture_that_the_reader_may_not_see(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.timelines.profile_tabs.store.SCAN_MAX", 4)
    world = with_settings(world, page_size=2)
    ann, ben, cat = world.people("ann", "ben", "cat")
    world.do(World.follow, ben, "ann")
    narrow = {"visibility": Visibility.FOLLOWERS}
    first = post_picture(world, ann, "first")
    hidden = [post_picture(world, ann, f"h {n}", **narrow) for n in range(3)]
    shown = post_picture(world, ann, "for all")
    hidden += [post_picture(world, ann, f"i {n}", **narrow) for n in range(3)]
    for viewer in (None, world.db.read(accounts.get(cat))):
        page = tab_page(world, Tab.MEDIA, ann, viewer).timeline
        assert ([item.id for item in page.items], page.next) == ([shown], shown)
    assert listed(world, Tab.MEDIA, ann) == [shown, first]
    follower = world.db.read(accounts.get(ben))
    page = tab_page(world, Tab.MEDIA, ann, follower).timeline
    assert ([item.id for item in page.items], page.next) == (hidden[:3:-1], hidden[4])


def test_a_page_takes_at_most_four_trips(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for number in range(5):
        status_id = post_picture(world, ann, f"one {number}")
        world.like(ann, status_id)
    for tab in Tab:
        for viewer in (None, ann, ben):
            asking = world.db.read(accounts.get(viewer)) if viewer else None
            before = world.db.trips
            page = tab_page(world, tab, ann, asking)
            assert len(page.timeline.items) == 5
            assert world.db.trips - before <= 4


def test_media_is_a_grid_that_covers_what_is_behind_a_warning_or_a_filter(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for text, warning in (("a finch", ""), ("a secret", "Spiders"), ("some crumbs", "")):
        picture = {"pictures": (io.BytesIO(photo()), "x.png"), "alt": f"Picture of {text}"}
        form = {"key": uuid4().hex, "text": text, "cw": warning} | picture
        assert ann.post("/statuses", data=form).status_code == 303
    contexts = dict.fromkeys(("home", "public", "profile", "thread", "notifications"), "y")
    words = {"words": "crumbs", "filter_action": "warn", "expires_in": "always"}
    assert ben.post("/settings/filters", data=words | contexts).status_code == 303
    page = ben.get("/@ann/media").text
    tiles = re.findall(r'<a\s+class="tile.*?</a>', page, re.DOTALL)
    assert len(tiles) == 3
    filtered, warned, shown = tiles
    assert 'alt="Picture of a finch"' in shown and "<img" in shown
    assert "Filtered:" in filtered and "Spiders" in warned
    for covered in (filtered, warned):
        assert "<img" not in covered and "/media/" not in covered and "Picture of" not in covered
    assert (
        "<img" in re.findall(r'<a\s+class="tile.*?</a>', ann.get("/@ann/media").text, re.DOTALL)[0]
    )


def test_hidden_likes_are_for_the_member_alone(ann: FlaskClient, ben: FlaskClient) -> None:
    status_id = post_status(ben, "a song")
    ann.post(f"/statuses/{status_id}/like")
    assert status_ids(ben.get("/@ann/likes")) == [status_id]
    ann.post("/settings/privacy", data={"quote_policy": "everyone", "likes_hidden": "y"})
    assert "Only you can see your likes now." in page_text(ann.get("/settings/privacy"))
    assert "/@ann/likes" not in ben.get("/@ann").text
    check_error(ben.get("/@ann/likes"), 403, "This member doesn’t show what they like.")
    assert status_ids(ann.get("/@ann/likes")) == [status_id]
    ann.post("/settings/privacy", data={"quote_policy": "everyone"})
    assert status_ids(ben.get("/@ANN/likes", follow_redirects=True)) == [status_id]


@pytest.mark.parametrize("tab", ["media", "likes"])
def test_blocked_and_protected_profiles_show_nothing(web: Web, tab: str) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ben, "a song")
    ann.post(f"/statuses/{status_id}/like")
    assert tab == "media" or status_ids(ben.get(f"/@ann/{tab}")) == [status_id]
    ann.post("/settings/privacy", data={"quote_policy": "everyone", "protected": "y"})
    assert "These posts are protected" in page_text(ben.get(f"/@ann/{tab}"))
    ann.post("/settings/privacy", data={"quote_policy": "everyone"})
    ann.post("/@ben/block")
    assert "You can’t see these posts" in page_text(ben.get(f"/@ann/{tab}"))
    assert "You’ve blocked @ben" in page_text(ann.get(f"/@ben/{tab}"))
    check_error(ann.get(f"/@nobody/{tab}"), 404)
    check_error(ann.get(f"/@ben/{tab}?max_id=x"), 422)

"""Reports of posts in groups: owners see them first, for 48 hours."""

import pytest

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import NEW, post, post_to, shown
from tests.support.world import Web, World
from webapp.community.groups import store as groups
from webapp.community.groups.owners import reports as owners
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.reports import listing, store
from webapp.reports.category import Category
from webapp.statuses import store as statuses
from webapp.statuses.visibility.groups import GroupKind


def at_desk(site: Site) -> list[int]:
    return [report.status_id for report in listing.list_newest(site.db)]


def in_group(site: Site, gid: int) -> list[int]:
    return [post.status_id for post in owners.reported_posts(site, gid)]


def test_owners_answer_first_and_moderators_after_48_hours(
    world: World, make_group: MakeGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, cat, kind=GroupKind.CLOSED)
    song = world.do(post, ben, gid)
    assert store.report_status(world, cat, song, "rude")
    assert not store.report_status(world, cat, song, "rude"), "again"
    assert at_desk(world) == [] and in_group(world, gid) == [song]
    later = listing.time.time() + 48 * 3600 + 1
    monkeypatch.setattr(listing.time, "time", lambda: later)
    assert at_desk(world) == [song] and in_group(world, gid) == []


def test_urgent_ones_and_those_about_owners_go_to_moderators_at_once(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, cat)
    song, own = post(world, ben, gid), post(world, ann, gid)
    world.apply_events()
    store.report_status(world, cat, song, "", Category.ILLEGAL)
    store.report_status(world, cat, own, "")
    assert sorted(at_desk(world)) == sorted([song, own])
    assert in_group(world, gid) == [song]
    owners.dismiss(world, ann, gid, song)
    assert in_group(world, gid) == [] and song in at_desk(world), "theirs to answer"


def test_who_became_an_owner_does_not_answer_reports_about_themselves(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, cat)
    song = world.do(post, ben, gid)
    store.report_status(world, cat, song, "rude")
    groups.set_owner(world, ann, gid, ben, is_owner=True)
    for act in (owners.dismiss, owners.remove_reported):
        world.refuses(NotFound, act, ben, gid, song)
    assert in_group(world, gid) == [song]
    owners.pass_on(world, ann, gid, song)
    assert at_desk(world) == [song]


def test_owners_dismiss_remove_and_pass_on(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid, other = make_group(ann, ben, cat), make_group(cat, slug="others")
    songs = [post(world, ben, gid, f"song {n}") for n in range(3)]
    world.apply_events()
    for song in songs:
        store.report_status(world, cat, song, "rude")
    names = [f"{cat}:post:{song}" for song in songs]
    for act in (owners.dismiss, owners.remove_reported, owners.pass_on):
        world.refuses(Forbidden, act, ben, gid, songs[0])
        for where, song in ((other, songs[0]), (gid, 64)):
            world.refuses(NotFound, act, cat if where == other else ann, where, song)
    owners.dismiss(world, ann, gid, songs[0])
    owners.remove_reported(world, ann, gid, songs[1])
    owners.pass_on(world, ann, gid, songs[2])
    assert in_group(world, gid) == []
    assert at_desk(world) == [songs[2]]
    assert set(shown(world, gid, ann)) == {songs[0], songs[2]}
    done = listing.times_in("done", None, 10)
    assert set(world.db.read(done)) == set(names[:2])
    world.refuses(NotFound, owners.dismiss, ann, gid, songs[0])


def test_a_post_in_two_groups_is_done_when_both_dismiss_it(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    first, second = make_group(ann, ben, cat), make_group(cat, ben, slug="others")
    song = world.do(statuses.post, ben, parse("a song"), "form-key", groups=[first, second])
    store.report_status(world, ann, song, "rude")
    name = f"{ann}:post:{song}"
    owners.dismiss(world, ann, first, song)
    assert in_group(world, first) == [] and in_group(world, second) == [song]
    assert not world.db.read(listing.times_in("done", None, 10))
    owners.dismiss(world, cat, second, song)
    assert list(world.db.read(listing.times_in("done", None, 10))) == [name]
    assert store.report_status(world, ann, song, "again"), "it was done"
    assert in_group(world, first) == [song]


def test_the_page_of_reports_names_no_reporter(web: Web) -> None:
    ann, ben, cat = web.member("ann"), web.member("ben"), web.member("cat")
    ann.post("/groups/new", data=NEW)
    for one in (ben, cat):
        one.post("/groups/birders/join")
    song = post_to(ben, "birders", "a rude song")
    assert "Owners of the group" in cat.get(f"/@ben/{song}/report").text
    form = {"category": "harassment", "reason": "so rude"}
    assert cat.post(f"/@ben/{song}/report", data=form).status_code == 303
    path = "/groups/birders/reports"
    assert ben.get(path).status_code == cat.get(path).status_code == 403
    page = ann.get(path).text
    assert "a rude song" in page and "so rude" in page and "@cat" not in page
    assert "3:post" not in page, "nor their number"
    assert ben.post(f"{path}/{song}/dismiss").status_code == 403
    assert ann.post(f"{path}/{song}/remove").location == path
    assert "a rude song" not in ann.get("/groups/birders").text
    assert "No reports" in ann.get(path).text
    assert ann.post(f"{path}/{song}/pass-on").status_code == 404

"""Groups at the store: who belongs to them, who runs them, and their timelines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import post, shown
from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.timelines import home
from webapp.accounts import lifecycle
from webapp.community.groups import keys, lookup, projections, store
from webapp.community.groups.models import HomeChoice, Voting
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.events.outbox import Context, Event
from webapp.core.site import Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses import store as statuses
from webapp.statuses.values.visibility import Visibility
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import GroupKind

CLOSED, OPEN, ANNOUNCEMENTS = GroupKind.CLOSED, GroupKind.OPEN, GroupKind.ANNOUNCEMENTS


def members(site: Site, gid: int) -> list[int]:
    return [int(uid) for uid in site.db.run(("ZRANGE", group_keys.group_members(gid), 0, -1))]


def own_groups(site: Site, uid: int) -> list[int]:
    return [one.gid for one in lookup.groups_of(site.db, uid)]


def test_anyone_joins_an_open_group(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann)
    assert store.join(site, ben, gid)
    assert store.join(site, ben, gid), "again"
    apply_events()
    assert members(site, gid) == [ann, ben]
    assert own_groups(site, ann) == own_groups(site, ben) == [gid]
    assert [one.gid for one in lookup.groups_page(site.db, 0).found] == [gid]
    store.leave(site, ben, gid)
    apply_events()
    assert members(site, gid) == [ann]
    assert own_groups(site, ben) == []


def test_owners_let_people_into_a_closed_group(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    gid = make_group(ann, kind=CLOSED)
    assert not store.join(site, ben, gid)
    assert not store.join(site, cat, gid)
    assert [one.uid for one in lookup.asking(site.db, gid, 10)] == [ben, cat]
    with pytest.raises(Forbidden):
        store.answer(site, ben, gid, ben, accept=True)
    store.answer(site, ann, gid, ben, accept=True)
    store.answer(site, ann, gid, cat, accept=False)
    assert members(site, gid) == [ann, ben]
    with pytest.raises(NotFound):
        store.answer(site, ann, gid, cat, accept=True)


def test_a_banned_member_does_not_come_back(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann, ben)
    store.remove(site, ann, gid, ben, "remove")
    store.join(site, ben, gid)
    store.remove(site, ann, gid, ben, "ban")
    with pytest.raises(Forbidden):
        store.join(site, ben, gid)
    store.remove(site, ann, gid, ben, "unban")
    assert store.join(site, ben, gid)


def test_a_group_always_has_an_owner(site: Site, people: People, make_group: MakeGroup) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    for act in (store.leave, lambda *to: store.set_owner(*to, ann, is_owner=False)):
        with pytest.raises(Conflict):
            act(site, ann, gid)
    with pytest.raises(Forbidden):
        store.set_owner(site, ann, gid, cat, is_owner=True)
    store.set_owner(site, ann, gid, ben, is_owner=True)
    for act in ("remove", "ban"):
        with pytest.raises(Forbidden):
            store.remove(site, ann, gid, ben, act)  # type: ignore[arg-type]
    with pytest.raises(Forbidden):
        store.set_owner(site, ann, gid, ben, is_owner=False)
    with ThreadPoolExecutor(2) as threads, suppress(Conflict):
        list(threads.map(lambda uid: store.leave(site, uid, gid), (ann, ben)))
    owners = site.db.run(("SMEMBERS", group_keys.group_owners(gid)))
    assert [int(uid) for uid in owners] == members(site, gid)
    assert len(owners) == 1


def test_one_of_many_gets_the_last_free_place(
    site: Site, people: People, make_group: MakeGroup
) -> None:
    ann, *others = people("ann", *(f"m{number}" for number in range(20)))
    gid = make_group(ann)
    small = with_settings(site, group_members_max=2)

    def join(uid: int) -> bool:
        with suppress(Conflict):
            return store.join(small, uid, gid)
        return False

    with ThreadPoolExecutor(10) as threads:
        assert sum(threads.map(join, others)) == 1
    assert len(members(site, gid)) == 2


def test_an_address_belongs_to_one_group(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann)
    assert make_group(ann) == gid, "the form was sent twice"
    with pytest.raises(Conflict):
        make_group(ben)
    assert site.db.run(("TTL", keys.group_slug("birders"))) == -1
    store.close(site, ann, gid)
    apply_events()
    assert make_group(ben) != gid


def test_an_address_outlives_its_claim_and_events_that_come_late_or_twice(
    site: Site, people: People, make_group: MakeGroup
) -> None:
    ann, ben = people("ann", "ben")
    slug = keys.group_slug("bats")
    gid = store.create(site, ann, "bats", "Bats", "", OPEN, Voting.OFF)
    assert site.db.run(("TTL", slug)) == -1, "no worker has come to it yet"
    site.db.run(("DEL", slug))  # as it ends if the maker's process died
    worker.drain(site)
    assert site.db.read(lookup.gid_of("bats")) == gid and site.db.run(("TTL", slug)) == -1
    closed = Event("1-0", 1, "log", 1, "group_closed", "-", {"group": str(gid), "slug": "bats"})
    store.close(site, ann, gid)
    worker.drain(site)
    other = make_group(ben, slug="bats")
    projections.forget_closed(Context(site.db, site.config, lambda: None), [closed])
    assert site.db.read(lookup.gid_of("bats")) == other


def test_a_member_has_a_limited_number_of_groups(
    site: Site, people: People, make_group: MakeGroup
) -> None:
    ann, ben = people("ann", "ben")
    make_group(ann)
    gid = make_group(ben, slug="bats")
    with pytest.raises(Conflict):
        store.join(with_settings(site, groups_max=1), ann, gid)


def test_posts_are_in_the_group_and_public_ones_in_homes_too(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    open_post = post(site, ben, gid)
    statuses.post(site, ann, parse("a reply"), "reply-key-1", reply=open_post)
    apply_events()
    assert shown(site, gid, cat) == shown(site, gid, None) == [open_post]
    assert home(site, ben) == [open_post]
    statuses.delete(site, ben, open_post)
    apply_events()
    assert shown(site, gid, cat) == []
    assert site.db.run(("ZCARD", keys.group_votes(gid))) == 0


def test_only_members_post_and_only_owners_announce(
    site: Site, people: People, make_group: MakeGroup
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    for number, (kind, refusal) in enumerate(
        ((OPEN, Forbidden), (CLOSED, NotFound), (ANNOUNCEMENTS, Forbidden))
    ):
        gid = make_group(ann, ben, slug=f"group{number}", kind=kind)
        post(site, ann, gid)
        with pytest.raises(refusal):
            post(site, cat, gid)
        if kind is ANNOUNCEMENTS:
            with pytest.raises(Forbidden):
                post(site, ben, gid)
        else:
            post(site, ben, gid)
    with pytest.raises(NotFound):
        post(site, ann, 999)
    with pytest.raises(NotFound):
        post(with_settings(site, features="none"), ann, gid, "off")


def test_only_members_see_what_is_in_a_closed_group(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    secret = post(site, ann, gid, "hush @cat", visibility=Visibility.PUBLIC)
    reply = statuses.post(site, ben, parse("a reply @cat"), "reply-key-1", reply=secret)
    apply_events()
    for viewer in (ann, ben):
        assert shown(site, gid, viewer) == [secret]
        assert {statuses.get(site.db, one, viewer).id for one in (secret, reply)} == {secret, reply}
    for viewer in (cat, None):
        with pytest.raises(NotFound):
            shown(site, gid, viewer)
        for one in (secret, reply):
            with pytest.raises(NotFound):
                statuses.get(site.db, one, viewer)
    store.remove(site, ann, gid, ben, "remove")
    for one, author in ((secret, ann), (reply, ben)):
        for viewer in (ann, ben):
            if viewer in (author, ann):
                statuses.get(site.db, one, viewer)
            else:
                with pytest.raises(NotFound):
                    statuses.get(site.db, one, viewer)


def test_a_post_of_a_removed_member_is_not_placed(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann, ben, kind=CLOSED)
    late = post(site, ben, gid)
    store.remove(site, ann, gid, ben, "ban")
    apply_events()
    assert shown(site, gid, ann) == []
    assert statuses.get(site.db, late, ben).id == late, "authors see their own"


def test_a_timeline_keeps_its_newest_posts_and_their_votes(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    (ann,) = people("ann")
    gid = make_group(ann)
    posted = [post(site, ann, gid, f"number {number}") for number in range(5)]
    small = with_settings(site, group_posts_max=3)
    worker.drain(small)
    assert shown(site, gid, None) == posted[:1:-1]
    assert site.db.run(("ZCARD", keys.group_votes(gid))) == 3


def test_a_closed_down_group_leaves_nothing(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    before = set(live_keys(site.db))
    gid = make_group(ann, ben, kind=CLOSED)
    secret = post(site, ann, gid)
    apply_events()
    with pytest.raises(Forbidden):
        store.close(site, ben, gid)
    store.close(site, ann, gid)
    with pytest.raises(NotFound):
        statuses.get(site.db, secret, ben)
    apply_events()
    assert own_groups(site, ann) == own_groups(site, ben) == []
    assert not {key for key in set(live_keys(site.db)) - before if "group" in key} - {
        "last_group_id"
    }


def test_a_deleted_account_leaves_its_groups(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann, ben)
    alone = make_group(ann, slug="alone", voting=Voting.OFF)
    lifecycle.delete_account(site, ann, None)
    apply_events()
    assert members(site, gid) == [ben]
    assert site.db.read(lookup.group(gid, ben)).is_owner, "of the longest standing"
    with pytest.raises(NotFound):
        site.db.read(lookup.group(alone, None))
    assert not site.db.run(("EXISTS", group_keys.groups(ann)))


def test_homes_show_posts_of_groups_until_their_members_choose_otherwise(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    site = with_settings(site, merged_seconds=0, status_seconds=0)
    birders = make_group(ann, ben)
    nests = make_group(ann, ben, slug="nests", kind=CLOSED)
    posted = [post(site, ann, gid) for gid in (birders, nests)]
    apply_events()
    assert home(site, ben) == posted[::-1]
    assert home(site, cat) == []
    store.set_home(site, ben, birders, HomeChoice.NOTHING)
    assert home(site, ben) == posted[1:]
    with pytest.raises(Forbidden):
        store.set_home(site, cat, birders, HomeChoice.POSTS)
    assert home(with_settings(site, features="none"), ben) == []
    store.remove(site, ann, nests, ben, "remove")
    assert home(site, ben) == [], "before the member's own list knows"
    assert shown(site, nests, ann) == posted[1:], "a home takes nothing out of a group"


def test_a_post_is_shown_once_to_those_who_also_follow_its_author(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    home(site, ben)
    song = post(site, ann, make_group(ann, ben))
    apply_events()
    assert home(site, ben) == [song]

"""Groups at the store: who belongs to them, who runs them, and their timelines."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import members, post, shown
from tests.support import worker
from tests.support.concurrently import at_once
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.timelines import home
from tests.support.world import World
from webapp.community.groups import keys, lookup, posts, projections, store, voting
from webapp.community.groups.models import HomeChoice, Voting
from webapp.core.errors import Conflict, Forbidden, LeaseLost, NotFound
from webapp.core.events.outbox import Event
from webapp.core.store import Command, Site
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.quotes import store as quotes
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.groups import GroupKind

CLOSED, OPEN, ANNOUNCEMENTS = GroupKind.CLOSED, GroupKind.OPEN, GroupKind.ANNOUNCEMENTS


def own_groups(site: Site, uid: int) -> list[int]:
    return [one.gid for one in lookup.groups_page(site.db, uid).own]


def test_anyone_joins_an_open_group(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann)
    assert store.join(world, ben, gid)
    assert store.join(world, ben, gid), "again"
    world.apply_events()
    assert members(world, gid) == [ann, ben]
    assert own_groups(world, ann) == own_groups(world, ben) == [gid]
    assert [one.gid for one in lookup.groups_page(world.db, 0).found] == [gid]
    world.do(store.leave, ben, gid)
    assert members(world, gid) == [ann]
    assert own_groups(world, ben) == []


def test_members_who_join_at_once_are_on_one_page_each(world: World, make_group: MakeGroup) -> None:
    uids = world.crowd(12)
    gid = make_group(uids[0])
    site = with_settings(world, group_members_max=50)
    world.db.trip_all(store.JOIN(site.config, gid=gid, uid=uid, sha="") for uid in uids[1:])
    found, cursor = list[int](), None
    while True:
        page, _owners = lookup.members_page(world.db, gid, cursor, 1)
        found += [member.uid for member in page.items]
        cursor = page.next
        if cursor is None:
            break
    assert found == list(reversed(uids))


def test_a_late_worker_changes_no_list_of_groups(
    world: World, make_group: MakeGroup, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read that a member joined, when the next worker applies that they left."""
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann)
    world.do(store.join, ben, gid)
    data = {"group": str(gid), "uids": str(ben)}
    late, next_one = (Event("1-1", 1, "log", token, "", "-", data) for token in (1, 2))
    context = world.context
    trip = world.db.trip

    def overtake(*commands: Command) -> list[Any]:
        found = trip(*commands)
        monkeypatch.undo()
        store.leave(world, ben, gid)
        projections.sync_members(context, [next_one])
        return found

    monkeypatch.setattr(world.db, "trip", overtake)
    with pytest.raises(LeaseLost):
        projections.sync_members(context, [late])
    assert world.db.run(("ZSCORE", group_keys.groups(ben), gid)) is None


def test_owners_let_people_into_a_closed_group(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, kind=CLOSED)
    assert not store.join(world, ben, gid)
    assert not store.join(world, cat, gid)
    assert [one.uid for one in lookup.asking(world.db, gid, 10)] == [ben, cat]
    world.refuses(Forbidden, store.answer, ben, gid, ben, accept=True)
    store.answer(world, ann, gid, ben, accept=True)
    store.answer(world, ann, gid, cat, accept=False)
    assert members(world, gid) == [ann, ben]
    world.refuses(NotFound, store.answer, ann, gid, cat, accept=True)


def test_a_banned_member_does_not_come_back(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    store.remove(world, ann, gid, ben, "remove")
    store.join(world, ben, gid)
    store.remove(world, ann, gid, ben, "ban")
    world.refuses(Forbidden, store.join, ben, gid)
    store.remove(world, ann, gid, ben, "unban")
    assert store.join(world, ben, gid)


def test_a_group_always_has_an_owner(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    for act in (store.leave, lambda *to: store.set_owner(*to, ann, is_owner=False)):
        world.refuses(Conflict, act, ann, gid)
    world.refuses(Forbidden, store.set_owner, ann, gid, cat, is_owner=True)
    store.set_owner(world, ann, gid, ben, is_owner=True)
    for act in ("remove", "ban"):
        world.refuses(Forbidden, store.remove, ann, gid, ben, act)  # type: ignore[arg-type]
    world.refuses(Forbidden, store.set_owner, ann, gid, ben, is_owner=False)
    with ThreadPoolExecutor(2) as threads, suppress(Conflict):
        list(threads.map(lambda uid: store.leave(world, uid, gid), (ann, ben)))
    owners = world.db.run(("SMEMBERS", group_keys.group_owners(gid)))
    assert [int(uid) for uid in owners] == members(world, gid)
    assert len(owners) == 1


def test_one_of_many_gets_the_last_free_place(world: World, make_group: MakeGroup) -> None:
    ann, *others = world.people("ann", *(f"m{number}" for number in range(20)))
    gid = make_group(ann)
    small = with_settings(world, group_members_max=2)

    def join(uid: int) -> bool:
        with suppress(Conflict):
            return store.join(small, uid, gid)
        return False

    assert sum(at_once(10, join, others)) == 1
    assert len(members(world, gid)) == 2


def test_an_address_belongs_to_one_group(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann)
    assert make_group(ann) == gid, "the form was sent twice"
    for maker, options in ((ben, {}), (ann, {"kind": CLOSED}), (ann, {"voting": Voting.OFF})):
        with pytest.raises(Conflict, match="slug_taken"):
            make_group(maker, **options)
    assert world.db.run(("TTL", keys.group_slug("birders"))) == -1
    world.do(store.close, ann, gid)
    assert make_group(ben) != gid


def test_an_address_outlives_its_claim_and_events_that_come_late_or_twice(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    slug = keys.group_slug("bats")
    gid = store.create(world, ann, "bats", "Bats", "", OPEN, Voting.OFF)
    assert world.db.run(("TTL", slug)) == -1, "no worker has come to it yet"
    world.db.run(("DEL", slug))  # as it ends if the maker's process died
    world.apply_events()
    assert world.db.read(lookup.gid_of("bats")) == gid and world.db.run(("TTL", slug)) == -1
    closed = Event("1-0", 1, "log", 10**6, "group_closed", "-", {"group": str(gid), "slug": "bats"})
    world.do(store.close, ann, gid)
    other = make_group(ben, slug="bats")
    projections.sync_slugs(world.context, [closed])
    assert world.db.read(lookup.gid_of("bats")) == other


def test_a_group_that_is_made_again_keeps_its_address(world: World, make_group: MakeGroup) -> None:
    [ann] = world.people("ann")
    gid = make_group(ann, slug="bats")
    store.close(world, ann, gid)
    assert store.create(world, ann, "bats", "Bats", "", OPEN, Voting.OFF) == gid
    closed = Event("1-0", 1, "log", 1, "group_closed", "-", {"group": str(gid), "slug": "bats"})
    projections.sync_slugs(world.context, [closed])
    assert world.db.read(lookup.gid_of("bats")) == gid
    world.apply_events()
    assert world.db.read(lookup.gid_of("bats")) == gid


def test_a_member_has_a_limited_number_of_groups(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    make_group(ann)
    gid = make_group(ben, slug="bats")
    with pytest.raises(Conflict):
        store.join(with_settings(world, groups_max=1), ann, gid)


def test_posts_are_in_the_group_and_public_ones_in_homes_too(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben)
    open_post = post(world, ben, gid)
    world.do(statuses.post, ann, parse("a reply"), "reply-key-1", reply=open_post)
    assert shown(world, gid, cat) == shown(world, gid, None) == [open_post]
    assert home(world, ben) == [open_post]
    world.do(statuses.delete, ben, open_post)
    assert shown(world, gid, cat) == []
    assert world.db.run(("ZCARD", keys.group_votes(gid))) == 0


def test_only_members_post_and_only_owners_announce(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    for number, (kind, refusal) in enumerate(
        ((OPEN, Forbidden), (CLOSED, NotFound), (ANNOUNCEMENTS, Forbidden))
    ):
        gid = make_group(ann, ben, slug=f"group{number}", kind=kind)
        post(world, ann, gid)
        world.refuses(refusal, post, cat, gid)
        if kind is ANNOUNCEMENTS:
            world.refuses(Forbidden, post, ben, gid)
        else:
            post(world, ben, gid)
    world.refuses(NotFound, post, ann, 999)
    with pytest.raises(NotFound):
        post(with_settings(world, features="none"), ann, gid, "off")


def test_only_members_see_what_is_in_a_closed_group(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    secret = post(world, ann, gid, "hush @cat", visibility=Visibility.PUBLIC)
    reply = world.do(statuses.post, ben, parse("a reply @cat"), "reply-key-1", reply=secret)
    for viewer in (ann, ben):
        assert shown(world, gid, viewer) == [secret]
        assert {world.status(one, viewer).id for one in (secret, reply)} == {
            secret,
            reply,
        }
    for viewer in (cat, None):
        world.refuses(NotFound, shown, gid, viewer)
        for one in (secret, reply):
            with pytest.raises(NotFound):
                world.status(one, viewer)
    store.remove(world, ann, gid, ben, "remove")
    for one, author in ((secret, ann), (reply, ben)):
        for viewer in (ann, ben):
            if viewer in (author, ann):
                world.status(one, viewer)
            else:
                with pytest.raises(NotFound):
                    world.status(one, viewer)


def test_who_was_banned_last_is_listed_first(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat, dot = world.people("ann", "ben", "cat", "dot")
    gid = make_group(ann, dot, cat, ben)
    for uid, at in ((cat, 1), (ben, 2)):
        store.remove(world, ann, gid, uid, "ban")
        world.db.run(("ZADD", keys.group_banned(gid), at, uid))
    assert [member.uid for member in lookup.banned(world.db, gid, 1)] == [ben]
    assert [member.uid for member in lookup.banned(world.db, gid, 9)] == [ben, cat]


@pytest.mark.parametrize("posts_too", [True, False])
def test_the_posts_of_who_is_removed_may_go_with_them(
    world: World, make_group: MakeGroup, posts_too: bool
) -> None:
    ann, ben = world.people("ann", "ben")
    gid, other = make_group(ann, ben), make_group(ann, ben, slug="others")
    of_ann = world.do(post, ann, gid, "one")
    of_ben = [world.do(post, ben, gid, text) for text in ("two", "three")]
    elsewhere = world.do(post, ben, other, "four")
    voting.vote(world, ann, gid, of_ben[0], "up")
    posts.pin_post(world, ann, gid, of_ben[0], is_pinned=True)
    assert shown(world, gid, ann, is_top=True)
    store.remove(world, ann, gid, ben, "ban", posts_too)
    left = {of_ann} if posts_too else {of_ann, *of_ben}
    for is_top in (False, True):
        assert set(shown(world, gid, ann, is_top)) == left
    assert shown(world, other, ann) == [elsewhere] and world.status(of_ben[1], ann)
    voters = [key for key in live_keys(world.db) if key.startswith("group_voters:")]
    assert bool(voters) != posts_too
    world.apply_events()
    assert set(shown(world, gid, ann)) == left


def test_who_has_left_a_closed_group_cannot_go_on_below_their_own_posts(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben, kind=CLOSED)
    secret = post(world, ben, gid, "hush")
    store.remove(world, ann, gid, ben, "ban")
    world.refuses(Forbidden, statuses.post, ben, parse("still here"), "reply-key-1", reply=secret)
    assert threads.thread(world.db, secret, ann, (), 30).can_reply
    assert not threads.thread(world.db, secret, ben, (), 30).can_reply


def test_a_member_takes_their_post_out_of_a_quote_in_a_closed_group(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=CLOSED)
    for author, has_left in ((ben, False), (cat, True)):
        quoted = world.post(author, "hello")
        quote = world.do(
            statuses.post, ann, parse("look"), f"quote-{author}-1", groups=[gid], quote=quoted
        )
        if has_left:
            world.refuses(NotFound, quotes.detach, author, quote)
            continue
        world.do(quotes.detach, author, quote)
        card = threads.thread(world.db, quote, ann, (), 10).viewer_state.quote_cards[quote]
        assert card.detached
        quotes.reattach(world, author, quote)


def test_a_post_of_a_removed_member_is_not_placed(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben, kind=CLOSED)
    late = post(world, ben, gid)
    world.do(store.remove, ann, gid, ben, "ban")
    assert shown(world, gid, ann) == []
    assert world.status(late, ben).id == late, "authors see their own"


def test_a_timeline_keeps_its_newest_posts_and_their_votes(
    world: World, make_group: MakeGroup
) -> None:
    (ann,) = world.people("ann")
    gid = make_group(ann)
    posted = [post(world, ann, gid, f"number {number}") for number in range(5)]
    small = with_settings(world, group_posts_max=3)
    worker.drain(small)
    assert shown(world, gid, None) == posted[:1:-1]
    assert world.db.run(("ZCARD", keys.group_votes(gid))) == 3


def test_a_closed_down_group_leaves_nothing(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    before = set(live_keys(world.db))
    gid = make_group(ann, ben, kind=CLOSED)
    secret = world.do(post, ann, gid)
    world.refuses(Forbidden, store.close, ben, gid)
    store.close(world, ann, gid)
    with pytest.raises(NotFound):
        world.status(secret, ben)
    world.apply_events()
    assert own_groups(world, ann) == own_groups(world, ben) == []
    assert not {key for key in set(live_keys(world.db)) - before if "group" in key} - {
        "last_group_id",
        "fences:{group_directory}",
    }


def test_a_deleted_account_leaves_its_groups(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    alone = make_group(ann, slug="alone", voting=Voting.OFF)
    world.do(World.delete_account, ann, None)
    assert members(world, gid) == [ben]
    assert world.db.read(lookup.group(gid, ben)).is_owner, "of the longest standing"
    with pytest.raises(NotFound):
        world.db.read(lookup.group(alone, None))
    assert not world.db.run(("EXISTS", group_keys.groups(ann)))
    world.refuses(NotFound, store.join, ben, alone)


def test_a_suspended_member_becomes_an_owner_only_if_all_are(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, cat)
    world.do(World.suspend, ben)
    world.do(World.delete_account, ann, None)
    assert world.db.run(("SMEMBERS", group_keys.group_owners(gid))) == [str(cat)]
    world.do(World.delete_account, cat, None)
    assert world.db.run(("SMEMBERS", group_keys.group_owners(gid))) == [str(ben)]


def test_a_suspended_owner_looks_after_no_group(world: World, make_group: MakeGroup) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, ben, cat)
    store.set_owner(world, ann, gid, ben, is_owner=True)
    world.do(World.suspend, ben)
    world.refuses(Conflict, store.leave, ann, gid)
    world.refuses(Conflict, store.set_owner, ann, gid, ann, is_owner=False)
    world.do(World.delete_account, ann, None)
    owners = world.db.run(("SMEMBERS", group_keys.group_owners(gid)))
    assert sorted(owners) == [str(ben), str(cat)], "of those who are there, the oldest"


def test_groups_that_a_deleted_account_comes_to_late_have_no_such_member(
    world: World, make_group: MakeGroup
) -> None:
    """Its lists are erased already when the workers apply that it joined."""
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann)
    world.do(World.delete_account, ben, None)
    world.do(store.join, ben, gid)
    assert members(world, gid) == [ann]
    alone = make_group(ben, slug="alone")
    world.refuses(NotFound, lambda site: site.db.read(lookup.group(alone, None)))
    assert not world.db.run(("EXISTS", group_keys.groups(ben)))


def test_a_group_that_is_made_again_at_once_stays_with_its_maker(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    store.close(world, ann, gid)
    assert store.create(world, ann, "birders", "Birders", "", OPEN, Voting.OFF) == gid
    world.apply_events()
    assert own_groups(world, ann) == [gid]
    assert own_groups(world, ben) == []
    assert world.db.read(lookup.gid_of("birders")) == gid


def test_a_group_that_is_closed_twice_leaves_all_lists(world: World, make_group: MakeGroup) -> None:
    ann, ben = world.people("ann", "ben")
    gid = make_group(ann, ben)
    store.close(world, ann, gid)
    assert store.create(world, ann, "birders", "Birders", "", OPEN, Voting.OFF) == gid
    store.close(world, ann, gid)
    world.apply_events()
    assert not any(world.db.trip(*(("EXISTS", group_keys.groups(uid)) for uid in (ann, ben))))


@pytest.mark.parametrize("is_deleted", [True, False])
def test_requests_of_deleted_and_suspended_members_take_no_place(
    world: World, make_group: MakeGroup, is_deleted: bool
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    gid = make_group(ann, kind=GroupKind.CLOSED)
    for uid in (ben, cat):
        store.join(world, uid, gid)
    if is_deleted:
        world.delete_account(ben, None)
    else:
        world.suspend(ben)
    assert lookup.asking(world.db, gid, 1) == ()
    assert [one.uid for one in lookup.asking(world.db, gid, 1)] == [cat]
    assert world.db.read(lookup.group(gid, ann)).requests == 1


def test_homes_show_posts_of_groups_until_their_members_choose_otherwise(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    world = with_settings(world, merged_seconds=0, status_seconds=0)
    birders = make_group(ann, ben)
    nests = make_group(ann, ben, slug="nests", kind=CLOSED)
    posted = [post(world, ann, gid) for gid in (birders, nests)]
    world.apply_events()
    assert home(world, ben) == posted[::-1]
    assert home(world, cat) == []
    store.set_home(world, ben, birders, HomeChoice.NOTHING)
    assert home(world, ben) == posted[1:]
    world.refuses(Forbidden, store.set_home, cat, birders, HomeChoice.POSTS)
    assert home(with_settings(world, features="none"), ben) == []
    store.remove(world, ann, nests, ben, "remove")
    assert home(world, ben) == [], "before the member's own list knows"
    assert shown(world, nests, ann) == posted[1:], "a home takes nothing out of a group"


def test_a_post_is_shown_once_to_those_who_also_follow_its_author(
    world: World, make_group: MakeGroup
) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    home(world, ben)
    song = world.do(post, ann, make_group(ann, ben))
    assert home(world, ben) == [song]

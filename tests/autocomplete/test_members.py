"""Test which members are suggested after an @, on both kinds of store."""

from time import sleep

import pytest

from tests.autocomplete.people import suggested
from tests.conftest import PASSWORD
from tests.support import chat
from tests.support.members.names import index_entries
from tests.support.world import World, post
from webapp.accounts import profile
from webapp.autocomplete import keys
from webapp.autocomplete.members import CONTACTS_MAX, SHOWN_MAX, search_members
from webapp.autocomplete.ranks import FOUND_MAX
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.core.store import partition_of
from webapp.following.requests import store as requests


@pytest.fixture
def ann(world: World) -> int:
    return world.people("ann")[0]


def test_a_member_is_found_by_login_and_by_each_word_of_the_name(world: World, ann: int) -> None:
    (ben,) = world.people("Ben_77")
    world.do(profile.edit, ben, {"name": "Benedikt 王小明 Schön"})
    for typed in (
        "b",
        "BEN_7",
        "ben_77",
        "bened",
        "王小",
        "小明",
        "明",
        "sch",
        "ＳＣＨÖ",
        "ben ",
        "sch bene",
    ):
        assert suggested(world.db, ann, typed) == ["Ben_77"], typed
    for typed in ("x", "ben_778", "77", "en", "王明", "@ben", "ben x"):
        assert suggested(world.db, ann, typed) == [], typed


def test_a_new_name_replaces_the_old_one(world: World, ann: int) -> None:
    (ben,) = world.people("ben")
    world.do(profile.edit, ben, {"name": "Walter"})
    assert suggested(world.db, ann, "walt") == ["ben"]
    profile.edit(world, ben, {"name": "Otto"})
    assert suggested(world.db, ann, "walt") == []  # before the index knows
    world.apply_events()
    assert suggested(world.db, ann, "walt") == []
    assert suggested(world.db, ann, "otto") == ["ben"]
    assert index_entries(world.db) == {f"0 ann {ann}", f"0 ben {ben}", f"0 otto {ben}"}


def test_nobody_is_suggested_to_themselves(world: World, ann: int) -> None:
    world.apply_events()
    assert suggested(world.db, ann, "ann") == []


def test_those_with_more_followers_come_first_and_followed_ones_before_them(
    world: World, ann: int
) -> None:
    world.people("cat0", "cat1", "cat2", "cat3")
    fans = world.people(*(f"fan{number}" for number in range(12)))
    for number, fan in enumerate(fans):
        world.follow(fan, "cat3")
        if number < 9:
            world.follow(fan, "cat1")
        if number < 2:
            world.follow(fan, "cat2")
    world.apply_events()
    assert suggested(world.db, ann, "cat") == ["cat3", "cat1", "cat2", "cat0"]
    assert f"2 cat3 {ann + 4}" in index_entries(world.db)
    world.do(World.follow, ann, "cat0")
    assert suggested(world.db, ann, "cat") == ["cat0", "cat3", "cat1", "cat2"]


def test_a_rank_goes_down_with_the_followers(world: World, ann: int) -> None:
    (ben,) = world.people("ben")
    world.do(World.follow, ann, "ben")
    assert f"1 ben {ben}" in index_entries(world.db)
    world.do(requests.remove_follower, ben, "ann")
    assert f"0 ben {ben}" in index_entries(world.db)
    world.do(World.follow, ann, "ben")
    world.do(World.unfollow, ann, "ben")
    assert f"0 ben {ben}" in index_entries(world.db)
    world.do(World.follow, ann, "ben")
    world.do(World.delete_account, ann, PASSWORD)
    assert f"0 ben {ben}" in index_entries(world.db)


def test_recent_contacts_come_first_and_alone_without_a_letter(world: World, ann: int) -> None:
    cats = world.people("cat0", "cat1", "cat2", "cat3")
    world.follow(ann, "cat1")
    sleep(0.002)  # so that the post is newer by its millisecond
    post(world, ann, "Hello @cat0 and @nobody and @ann")
    theirs = world.do(post, cats[2], "Larks")
    world.do(post, ann, "Hello", reply=theirs)
    assert suggested(world.db, ann, "") == ["cat2", "cat0", "cat1"]
    assert suggested(world.db, ann, "cat") == ["cat2", "cat0", "cat1", "cat3"]
    assert suggested(world.db, cats[2], "") == []  # she has done nothing
    world.do(post, ann, "Hello @cat0 again")
    assert suggested(world.db, ann, "") == ["cat0", "cat2", "cat1"]


def test_a_stranger_who_writes_is_a_recent_contact_once_accepted(world: World, ann: int) -> None:
    (cat,) = world.people("cat")
    world.do(chat.send_messages, cat, direct_id(ann, cat), "Hello")
    assert suggested(world.db, ann, "") == []
    assert suggested(world.db, cat, "") == ["ann"]  # she wrote to her
    chat_state.accept_request(world.db, ann, direct_id(ann, cat))
    assert suggested(world.db, ann, "") == ["cat"]


def test_whose_login_is_typed_in_full_comes_first(world: World, ann: int) -> None:
    world.people("cat", "cathy")
    world.do(World.follow, ann, "cathy")
    assert suggested(world.db, ann, "ca") == ["cathy", "cat"]
    assert suggested(world.db, ann, "CAT") == ["cat", "cathy"]


def test_blocks_hide_both_from_each_other(world: World, ann: int) -> None:
    (ben,) = world.people("ben")
    world.do(post, ann, "Hello @ben")
    world.do(World.block, ben, "ann")
    for typed in ("", "b", "ben"):
        assert suggested(world.db, ann, typed) == []
    assert suggested(world.db, ben, "ann") == []
    world.do(World.unblock, ben, "ann")
    assert suggested(world.db, ann, "") == ["ben"]


def test_a_muted_member_is_suggested_only_for_the_whole_login(world: World, ann: int) -> None:
    world.people("ben")
    post(world, ann, "Hello @ben")
    world.do(World.mute, ann, "ben", 3_600)
    assert suggested(world.db, ann, "") == suggested(world.db, ann, "be") == []
    assert suggested(world.db, ann, "Ben") == ["ben"]


def test_suspended_members_are_gone_even_before_the_worker_knows(world: World, ann: int) -> None:
    (ben,) = world.people("ben")
    world.do(post, ann, "Hello @ben")
    world.suspend(ben)
    for _ in range(2):
        assert suggested(world.db, ann, "") == suggested(world.db, ann, "ben") == []
        world.apply_events()
    assert index_entries(world.db) == {f"0 ann {ann}"}
    world.do(World.suspend, ben, suspended=False)
    assert suggested(world.db, ann, "") == suggested(world.db, ann, "b") == ["ben"]


def test_a_protected_member_is_suggested(world: World, ann: int) -> None:
    (ben,) = world.people("ben")
    world.do(World.protect, ben)
    assert suggested(world.db, ann, "b") == ["ben"]


def test_a_deleted_account_leaves_nothing_behind(world: World, ann: int) -> None:
    (ben,) = world.people("ben")
    post(world, ann, "Hello @ben #larks")
    world.do(post, ben, "Hello @ann #wrens")
    assert world.db.run(("SMEMBERS", keys.contact_of(ben))) in ([str(ann)], {str(ann)})
    world.delete_account(ben, None)
    assert suggested(world.db, ann, "") == suggested(world.db, ann, "ben") == []
    world.apply_events()
    assert index_entries(world.db) == {f"0 ann {ann}"}
    own = [keys.contacts(ben), keys.contact_of(ben), keys.recent_tags(ben)]
    assert world.db.trip(*(("EXISTS", key) for key in own)) == [0, 0, 0]
    assert world.db.run(("ZSCORE", keys.contacts(ann), ben)) is None
    assert not world.db.run(("SISMEMBER", keys.contact_of(ann), ben))
    assert world.db.run(("HGET", keys.indexed_names(partition_of(ben)), ben)) is None


def test_a_member_who_must_not_be_found_leaves_the_index(world: World, ann: int) -> None:
    (ben,) = world.people("ben")
    world.apply_events()
    profile.edit(world, ben, {"hidden_from_search": "1"})
    assert suggested(world.db, ann, "be") == []  # before the index knows
    world.apply_events()
    assert suggested(world.db, ann, "be") == []
    assert index_entries(world.db) == {f"0 ann {ann}"}
    world.do(profile.edit, ben, {"hidden_from_search": ""})
    assert suggested(world.db, ann, "be") == ["ben"]


def test_all_reads_are_bounded(world: World, ann: int) -> None:
    world.people(*(f"cat{number}" for number in range(FOUND_MAX + 5)))
    world.apply_events()
    found = world.db.read(search_members(ann, "cat"))
    assert found is not None and len(found.found) == FOUND_MAX
    assert len(suggested(world.db, ann, "cat")) == SHOWN_MAX
    assert suggested(world.db, ann, f"cat{FOUND_MAX + 4}") == [f"cat{FOUND_MAX + 4}"]


def test_contacts_are_bounded_and_the_oldest_are_dropped_on_both_sides(
    world: World, ann: int
) -> None:
    (ben,) = world.people("ben")
    world.do(post, ann, "Hello @ben")
    newer = 2**42
    others = range(1_000_000, 1_000_000 + CONTACTS_MAX)
    for number in others:
        world.db.run(("ZADD", keys.contacts(ann), newer, number))
    world.do(post, ann, "Hello @ben")
    assert world.db.run(("ZCARD", keys.contacts(ann))) == CONTACTS_MAX
    assert world.db.run(("ZSCORE", keys.contacts(ann), ben)) is None
    assert not world.db.run(("EXISTS", keys.contact_of(ben)))

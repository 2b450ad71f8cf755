"""Test which members are suggested after an @, on both kinds of store."""

from __future__ import annotations

from time import sleep

import pytest

from tests.autocomplete.people import post, suggested
from tests.conftest import PASSWORD, ApplyEvents, People
from tests.support import chat
from tests.support.members.names import index_entries
from webapp.accounts import lifecycle, profile
from webapp.autocomplete import keys
from webapp.autocomplete.members import CONTACTS_MAX, SHOWN_MAX, search_members
from webapp.autocomplete.ranks import FOUND_MAX
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.config import Config
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests


@pytest.fixture
def ann(people: People) -> int:
    return people("ann")[0]


def test_a_member_is_found_by_login_and_by_each_word_of_the_name(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("Ben_77")
    profile.edit(site, ben, {"name": "Benedikt 王小明 Schön"})
    apply_events()
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
        assert suggested(site.db, ann, typed) == ["Ben_77"], typed
    for typed in ("x", "ben_778", "77", "en", "王明", "@ben", "ben x"):
        assert suggested(site.db, ann, typed) == [], typed


def test_a_new_name_replaces_the_old_one(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    profile.edit(site, ben, {"name": "Walter"})
    apply_events()
    assert suggested(site.db, ann, "walt") == ["ben"]
    profile.edit(site, ben, {"name": "Otto"})
    assert suggested(site.db, ann, "walt") == []  # before the index knows
    apply_events()
    assert suggested(site.db, ann, "walt") == []
    assert suggested(site.db, ann, "otto") == ["ben"]
    assert index_entries(site.db) == {f"0 ann {ann}", f"0 ben {ben}", f"0 otto {ben}"}


def test_nobody_is_suggested_to_themselves(db: Db, ann: int, apply_events: ApplyEvents) -> None:
    apply_events()
    assert suggested(db, ann, "ann") == []


def test_those_with_more_followers_come_first_and_followed_ones_before_them(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    people("cat0", "cat1", "cat2", "cat3")
    fans = people(*(f"fan{number}" for number in range(12)))
    for number, fan in enumerate(fans):
        following.follow(site, fan, "cat3")
        if number < 9:
            following.follow(site, fan, "cat1")
        if number < 2:
            following.follow(site, fan, "cat2")
    apply_events()
    assert suggested(site.db, ann, "cat") == ["cat3", "cat1", "cat2", "cat0"]
    assert f"2 cat3 {ann + 4}" in index_entries(site.db)
    following.follow(site, ann, "cat0")
    apply_events()
    assert suggested(site.db, ann, "cat") == ["cat0", "cat3", "cat1", "cat2"]


def test_a_rank_goes_down_with_the_followers(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    following.follow(site, ann, "ben")
    apply_events()
    assert f"1 ben {ben}" in index_entries(site.db)
    requests.remove_follower(site, ben, "ann")
    apply_events()
    assert f"0 ben {ben}" in index_entries(site.db)
    following.follow(site, ann, "ben")
    apply_events()
    following.unfollow(site, ann, "ben")
    apply_events()
    assert f"0 ben {ben}" in index_entries(site.db)
    following.follow(site, ann, "ben")
    apply_events()
    lifecycle.delete_account(site, ann, PASSWORD)
    apply_events()
    assert f"0 ben {ben}" in index_entries(site.db)


def test_recent_contacts_come_first_and_alone_without_a_letter(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    cats = people("cat0", "cat1", "cat2", "cat3")
    following.follow(site, ann, "cat1")
    sleep(0.002)  # so that the post is newer by its millisecond
    post(site, ann, "Hello @cat0 and @nobody and @ann")
    theirs = post(site, cats[2], "Larks")
    apply_events()
    post(site, ann, "Hello", reply=theirs)
    apply_events()
    assert suggested(site.db, ann, "") == ["cat2", "cat0", "cat1"]
    assert suggested(site.db, ann, "cat") == ["cat2", "cat0", "cat1", "cat3"]
    assert suggested(site.db, cats[2], "") == []  # she has done nothing
    post(site, ann, "Hello @cat0 again")
    apply_events()
    assert suggested(site.db, ann, "") == ["cat0", "cat2", "cat1"]


def test_a_stranger_who_writes_is_a_recent_contact_once_accepted(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (cat,) = people("cat")
    chat.send_messages(site, cat, direct_id(ann, cat), "Hello")
    apply_events()
    assert suggested(site.db, ann, "") == []
    assert suggested(site.db, cat, "") == ["ann"]  # she wrote to her
    chat_state.accept_request(site.db, ann, direct_id(ann, cat))
    assert suggested(site.db, ann, "") == ["cat"]


def test_whose_login_is_typed_in_full_comes_first(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    people("cat", "cathy")
    following.follow(site, ann, "cathy")
    apply_events()
    assert suggested(site.db, ann, "ca") == ["cathy", "cat"]
    assert suggested(site.db, ann, "CAT") == ["cat", "cathy"]


def test_blocks_hide_both_from_each_other(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    post(site, ann, "Hello @ben")
    apply_events()
    blocks.block(site, ben, "ann")
    apply_events()
    for typed in ("", "b", "ben"):
        assert suggested(site.db, ann, typed) == []
    assert suggested(site.db, ben, "ann") == []
    blocks.unblock(site, ben, "ann")
    apply_events()
    assert suggested(site.db, ann, "") == ["ben"]


def test_a_muted_member_is_suggested_only_for_the_whole_login(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    people("ben")
    post(site, ann, "Hello @ben")
    mutes.mute(site, ann, "ben", 3_600)
    apply_events()
    assert suggested(site.db, ann, "") == suggested(site.db, ann, "be") == []
    assert suggested(site.db, ann, "Ben") == ["ben"]


def test_suspended_members_are_gone_even_before_the_worker_knows(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    post(site, ann, "Hello @ben")
    apply_events()
    lifecycle.suspend(site, ben)
    for _ in range(2):
        assert suggested(site.db, ann, "") == suggested(site.db, ann, "ben") == []
        apply_events()
    assert index_entries(site.db) == {f"0 ann {ann}"}
    lifecycle.suspend(site, ben, suspended=False)
    apply_events()
    assert suggested(site.db, ann, "") == suggested(site.db, ann, "b") == ["ben"]


def test_a_protected_member_is_suggested(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    lifecycle.protect(site, ben)
    apply_events()
    assert suggested(site.db, ann, "b") == ["ben"]


def test_a_deleted_account_leaves_nothing_behind(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    post(site, ann, "Hello @ben #larks")
    post(site, ben, "Hello @ann #wrens")
    apply_events()
    assert site.db.run(("SMEMBERS", keys.contact_of(ben))) in ([str(ann)], {str(ann)})
    lifecycle.delete_account(site, ben, None)
    assert suggested(site.db, ann, "") == suggested(site.db, ann, "ben") == []
    apply_events()
    assert index_entries(site.db) == {f"0 ann {ann}"}
    own = [keys.contacts(ben), keys.contact_of(ben), keys.recent_tags(ben)]
    assert site.db.trip(*(("EXISTS", key) for key in own)) == [0, 0, 0]
    assert site.db.run(("ZSCORE", keys.contacts(ann), ben)) is None
    assert not site.db.run(("SISMEMBER", keys.contact_of(ann), ben))
    assert site.db.run(("HGET", keys.indexed_names(partition_of(ben)), ben)) is None


def test_a_member_who_must_not_be_found_leaves_the_index(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    apply_events()
    profile.edit(site, ben, {"hidden_from_search": "1"})
    assert suggested(site.db, ann, "be") == []  # before the index knows
    apply_events()
    assert suggested(site.db, ann, "be") == []
    assert index_entries(site.db) == {f"0 ann {ann}"}
    profile.edit(site, ben, {"hidden_from_search": ""})
    apply_events()
    assert suggested(site.db, ann, "be") == ["ben"]


def test_all_reads_are_bounded(
    db: Db, config: Config, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    people(*(f"cat{number}" for number in range(FOUND_MAX + 5)))
    apply_events()
    found = db.read(search_members(ann, "cat"))
    assert found is not None and len(found.found) == FOUND_MAX
    assert len(suggested(db, ann, "cat")) == SHOWN_MAX
    assert suggested(db, ann, f"cat{FOUND_MAX + 4}") == [f"cat{FOUND_MAX + 4}"]


def test_contacts_are_bounded_and_the_oldest_are_dropped_on_both_sides(
    site: Site, ann: int, people: People, apply_events: ApplyEvents
) -> None:
    (ben,) = people("ben")
    post(site, ann, "Hello @ben")
    apply_events()
    newer = 2**42
    others = range(1_000_000, 1_000_000 + CONTACTS_MAX)
    for number in others:
        site.db.run(("ZADD", keys.contacts(ann), newer, number))
    post(site, ann, "Hello @ben")
    apply_events()
    assert site.db.run(("ZCARD", keys.contacts(ann))) == CONTACTS_MAX
    assert site.db.run(("ZSCORE", keys.contacts(ann), ben)) is None
    assert not site.db.run(("EXISTS", keys.contact_of(ben)))

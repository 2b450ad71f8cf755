"""Test what happens at once, in pieces, or twice: the index ends with what is true."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.autocomplete.people import suggested, suggested_tags
from tests.support import worker
from tests.support.concurrently import at_once
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.members.names import index_entries, ranks_of
from tests.support.upgrades import run_upgrade
from tests.support.world import World, post
from webapp.accounts import profile
from webapp.autocomplete import contact_projections, keys, rank_projections
from webapp.autocomplete.members import search_members, suggest_members
from webapp.autocomplete.name_projections import sync_names
from webapp.autocomplete.tag_names import read_ranks, sync_tag_names_in_steps
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Command, Db, do_steps, partition_of
from webapp.following import store as following
from webapp.timelines import keys as timeline_keys


def test_fifty_who_follow_at_once_leave_the_right_rank(world: World) -> None:
    star, *fans = world.people("star", *(f"fan{number}" for number in range(12)))
    world.apply_events()

    def flip(number: int) -> None:
        fan = fans[number % len(fans)]
        action = following.follow if number % 3 or number > 36 else following.unfollow
        action(world, fan, "star")
        worker.drain(world, f"worker:{number % 3}")

    at_once(8, flip, range(50))
    world.apply_events()
    for fan in fans[:9]:
        following.follow(world, fan, "star")
    for fan in fans[9:]:
        following.unfollow(world, fan, "star")
    world.apply_events()
    assert {entry for entry in index_entries(world.db) if "star" in entry} == {f"1 star {star}"}


def test_fifty_workers_agree_on_a_hashtag(db: Db, config: Config) -> None:
    timeline = timeline_keys.hashtag_statuses("lark")

    def flip(number: int) -> None:
        command = ("ZADD", timeline, number, f"{number}:1") if number % 2 else ("DEL", timeline)
        db.run(command)
        do_steps(db, sync_tag_names_in_steps(db.read(read_ranks(["lark"]))))

    at_once(8, flip, range(50))
    count = db.run(("ZCARD", timeline))
    assert ranks_of(db, "lark") == ([1] if count else [])


def test_one_who_is_suspended_or_blocked_between_the_trips_is_not_shown(world: World) -> None:
    ann, ben, _ = world.people("ann", "ben", "bea")
    world.apply_events()
    found = world.db.read(search_members(ann, "be"))
    world.suspend(ben)
    assert [one.login for one in world.db.read(suggest_members(ann, found))] == ["bea"]


@pytest.mark.parametrize("crash_at", range(4))
def test_a_worker_that_dies_between_trips_leaves_no_old_word(world: World, crash_at: int) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(profile.edit, ben, {"name": "Walter"})
    profile.edit(world, ben, {"name": "Otto"})
    with pytest.raises(Crashed):
        sync_names(
            Context(CrashingDb(world.db, crash_at), world.config, lambda: None), [event_of(ben)]
        )
    world.apply_events()
    assert index_entries(world.db) == {f"0 ann {ann}", f"0 ben {ben}", f"0 otto {ben}"}
    world.apply_events()
    assert suggested(world.db, ann, "otto") == ["ben"]


@pytest.mark.parametrize("ends_at", range(4))
def test_contacts_whose_accounts_end_meanwhile_are_taken_out(world: World, ends_at: int) -> None:
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    status_id = post(world, ann, "Hello @ben")
    event = event_of(ann, type="posted", id=status_id, author=ann, mentions="ben")

    def delete() -> None:
        world.do(World.delete_account, ben, None)

    meddled = MeddledDb(world.db, ends_at, delete)
    contact_projections.note_posts(Context(meddled, world.config, lambda: None), [event])
    assert world.db.run(("ZSCORE", keys.contacts(ann), ben)) is None
    assert not world.db.run(("EXISTS", keys.contact_of(ben)))


def test_a_site_that_had_members_before_is_indexed_beside_what_they_do(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    post(world, ben, "#lark")
    world.do(World.suspend, cat)
    entries = index_entries(world.db)
    forget_indexes(world.db)
    assert suggested(world.db, ann, "be") == suggested_tags(world.db, ann, "l") == []
    run_upgrade(world, "names")
    world.do(profile.edit, ben, {"name": "Benno"})
    assert index_entries(world.db) == entries | {f"0 benno {ben}"}
    assert suggested_tags(world.db, ann, "l") == ["lark"]


def test_members_are_handed_over_only_while_few_events_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.people("ann")
    monkeypatch.setattr(rank_projections, "WAITING_MAX", 3)
    with pytest.raises(Unavailable):
        for _ in range(4):
            run_upgrade(world, "names")


def forget_indexes(db: Db) -> None:
    """Make the store as it was before there were indexes."""
    patterns = ("name_index:", "tag_names:", "indexed_names:")
    for name in db.on_every_primary("KEYS", "*"):
        for key in name:
            if key.startswith(patterns):
                db.run(("DEL", key))


class MeddledDb(Db):
    """Lets something happen before one of its trips."""

    def __init__(self, db: Db, trips: int, meddle: Callable[[], None]) -> None:
        self.__dict__.update(db.__dict__)
        self._trips_left, self._meddle = trips, meddle

    def trip(self, *commands: Command) -> list[Any]:
        """Make the trip, after what happens before it."""
        self._trips_left -= 1
        if self._trips_left == -1:
            self._meddle()
        return super().trip(*commands)


def event_of(uid: int, type: str = "profile_edited", **data: object) -> Event:
    texts = {name: str(value) for name, value in {"uid": uid, **data}.items()}
    return Event("1-0", partition_of(uid), "test", 1, type, "-", texts)

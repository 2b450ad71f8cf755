"""The demo writes what the product would have written, had its members lived there."""

import time
from collections import Counter
from dataclasses import replace

import pytest

from tests.support import worker
from tests.support.demo import SMALL, silent
from tests.support.store_dump import dump
from tests.support.timelines import home_timeline
from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.errors import LeaseLost
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import GROUPS
from webapp.core.store import PARTITIONS, Db, Site, partition_of
from webapp.core.text.parser import parse
from webapp.demo.acts.act import Act, WaitingAct, World
from webapp.demo.acts.applier import Applier
from webapp.demo.acts.post_acts import Like
from webapp.demo.community import Community, generate_community, plan_people
from webapp.demo.fill import fill, new_world, perform
from webapp.demo.plan.acts import plan_acts
from webapp.following import keys as following_keys
from webapp.notifications import keys as notification_keys
from webapp.statuses import Status, keys as status_keys, store as statuses
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.threads import keys as thread_keys

PLAN = replace(SMALL, seed="9", members=14, statuses=160, days=40)
FEW = 60  # acts, enough for members to have followers and notifications
# What tells of now, not of then: who applies events, what pages and streams wait for, what was
# done in the last minute.
OF_NOW = (
    *("lease:", "workers", "fences:", "outbox:", "bulk:", "log", "recent", "page", "attempts:"),
    *("tally_throttle", "changed_counts", "member_versions", "schema", "upgrades"),
    *("metric:", "process", "timing:", "slow:", "log_recent", "log_common", "visitor"),
    *("hot_keys", "countries:", "came:"),
)
RANDOM = r"[\w/-]+/[0-9a-f]{32}|^[0-9a-f]{12}$"  # names of pictures, and where they are counted


@pytest.fixture(scope="module")
def community() -> Community:
    return generate_community(PLAN, plan_people(PLAN))


@pytest.fixture(scope="module")
def acts(community: Community) -> list[Act]:
    return plan_acts(PLAN, community)


def test_the_plan_of_these_tests_has_acts_of_every_kind(acts: list[Act]) -> None:
    kinds = {one.__name__ for one in (*Act.__subclasses__(), *WaitingAct.__subclasses__())}
    assert {type(act).__name__ for act in acts} == kinds - {"WaitingAct"}


def test_the_store_is_as_if_each_act_had_been_done_and_applied_by_itself(
    db: Db, media: Config, community: Community, acts: list[Act]
) -> None:
    perform(Site(db, media), new_world(Site(db, media), community), acts, silent)
    batched = dump(db, OF_NOW, RANDOM)
    db.on_every_primary("FLUSHALL")
    one_by_one(new_world(Site(db, media), community), acts)
    alone = dump(db, OF_NOW, RANDOM)
    assert batched.keys() ^ alone.keys() == set()
    assert {key: found for key, found in batched.items() if found != alone[key]} == {}


@pytest.mark.long
def test_the_same_seed_and_time_fill_the_same_store(db: Db, media: Config) -> None:
    dumps = []
    for _ in range(2):
        db.on_every_primary("FLUSHALL")
        fill(Site(db, media), PLAN, False, silent)
        dumps.append(dump(db, (*OF_NOW, "password"), RANDOM))
    assert dumps[0] == dumps[1]
    assert any(key.startswith("votes") for key in dumps[0])


def test_a_rebuild_finds_what_homes_have_and_only_adds_replies(
    db: Db, media: Config, community: Community, acts: list[Act]
) -> None:
    world = new_world(Site(db, media), community)
    perform(Site(db, media), world, acts, silent)
    config = replace(media, page_size=500)
    uids = [world.uid(member) for member in range(PLAN.members)]
    kept = [uid for uid in uids if db.run(("EXISTS", account_keys.home(uid)))]
    assert 0 < len(kept) < len(uids)  # those who joined long ago have stayed away
    for uid in kept:
        seen = home_timeline(Site(db, config), uid).items
        home, active = account_keys.home(uid), account_keys.active_members(partition_of(uid))
        db.trip(("DEL", home), ("ZREM", active, uid))
        rebuilt = home_timeline(Site(db, config), uid).items
        assert {item.id for item in seen} <= {item.id for item in rebuilt}
        # Delivery left out replies to members who were not followed then.
        added = [item for item in rebuilt if item.id not in {one.id for one in seen}]
        assert all(isinstance(item, Status) and item.reply_to_uid for item in added)


def test_counts_are_as_many_as_their_lists_are_long(
    db: Db, media: Config, community: Community, acts: list[Act]
) -> None:
    world = new_world(Site(db, media), community)
    perform(Site(db, media), world, acts, silent)
    found = dump(db)
    totals = Counter[str]()
    for number, status_id in world.posts.items():
        status = found[status_keys.status(status_id)]
        lists = {
            "likes": interaction_keys.likers(status_id),
            "boosts": interaction_keys.boosters(status_id),
        }
        for field, key in lists.items():
            assert int(status.get(field, 0)) == len(found.get(key, ()))
            totals[field] += int(status.get(field, 0))
        ranks = found.get(thread_keys.replies(status_id), {}).values()
        is_protected = "protected" in found[account_keys.user(int(status["author"]))]
        counted = [rank for rank in ranks if is_protected or float(rank) >= 0]
        assert int(status.get("replies", 0)) == len(counted)
        assert len(ranks) == sum(one.reply_to == number for one in community.posts)
        if post_poll := community.posts[number].poll:
            voters = len(found.get(poll_keys.votes(status_id), ()))
            assert (status.get("tally") or "0").split()[-1] == str(voters)
            assert len((status.get("tally") or "0 " * 9).split()) > len(post_poll.options)
    assert min(totals.values()) > 10
    assert not any(found.get(event_keys.outbox(partition)) for partition in range(PARTITIONS))


def test_a_running_worker_gives_way_and_goes_on_afterwards(
    db: Db, media: Config, community: Community, acts: list[Act]
) -> None:
    loops = [worker.group_loop(Site(db, media), group, "elsewhere:1") for group in GROUPS]
    for loop in loops:
        loop.acquire(range(PARTITIONS))
    world = new_world(Site(db, media), community)
    perform(Site(db, media), world, acts[:FEW], silent)
    for loop in loops:  # it has lost all leases
        assert not loop.poll(range(PARTITIONS))
    key = notification_keys.notifications(world.uid(0))
    notified = db.run(("ZRANGE", key, 0, -1, "WITHSCORES"))
    assert notified and all(float(at_us) < PLAN.now * 1000 for at_us in notified[1::2])
    statuses.post(Site(db, media), world.uid(1), parse(f"Hello @{world.login(0)}"), "form")
    worker.drain(Site(db, media), "elsewhere:1")
    (newest,) = db.run(("ZRANGE", key, -1, -1))
    assert newest.startswith(f"mention:{world.uid(1)}:")


def test_a_fill_whose_leases_another_took_ends(db: Db, media: Config, community: Community) -> None:
    world = new_world(Site(db, media), community)
    hasty = replace(media, lease_seconds=0.001)
    other = worker.group_loop(Site(db, media), "log", "elsewhere:1")
    with Applier.over(Site(db, hasty), world.db) as applier:
        time.sleep(0.01)
        other.acquire(range(PARTITIONS))
        with pytest.raises(LeaseLost):
            applier.apply()
    assert db.run(("HGET", event_keys.lease(0, "log"), "owner")) == "elsewhere:1"


def test_what_members_do_meanwhile_is_applied_with_the_real_time(
    db: Db, media: Config, community: Community, acts: list[Act]
) -> None:
    world = new_world(Site(db, media), community)
    perform(Site(db, media), world, acts[:FEW], silent)
    uid, before_us = world.uid(0), time.time_ns() // 1000
    statuses.post(Site(db, media), world.uid(1), parse(f"Hello @{world.login(0)}"), "form")
    with Applier.over(Site(db, media), world.db) as applier:
        applier.apply()
    newest = db.run(("ZRANGE", notification_keys.notifications(uid), -1, -1, "WITHSCORES"))
    assert newest[0].startswith(f"mention:{world.uid(1)}:") and float(newest[1]) >= before_us


def test_an_interrupted_fill_leaves_events_that_a_worker_applies(
    db: Db, media: Config, community: Community, acts: list[Act]
) -> None:
    world = new_world(Site(db, media), community)
    broken = replace(next(act for act in acts if isinstance(act, Like)), number=-1)
    with pytest.raises(KeyError):
        perform(Site(db, media), world, [*acts[:FEW], broken], silent)
    assert any(db.trip(*(("XLEN", event_keys.outbox(p)) for p in range(PARTITIONS))))
    worker.drain(Site(db, media))
    assert not any(db.trip(*(("XLEN", event_keys.outbox(p)) for p in range(PARTITIONS))))
    assert db.run(("ZCARD", following_keys.followers(world.uid(0)))) > 0


def one_by_one(world: World, acts: list[Act]) -> None:
    """Do each act by itself, and apply its events as a worker does."""
    for act in acts:
        world.db.set_time(act.at_ms * 1000)
        act.perform(world)
        worker.drain(world)

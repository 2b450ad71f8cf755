"""Check that each acknowledged status is once in every timeline, after any process was killed."""

from collections import Counter
from collections.abc import Callable, Iterator
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest

from tests.support.fanout import (
    STAR,
    assert_acknowledged_once,
    create_followers,
    home_sizes,
    homes_with,
    logged_ids,
    newest_event_is_read,
    post,
    sign_up,
    sign_up_authors,
    until_fanout_begun,
)
from tests.support.processes import Program, RunningSite, children, free_port, posting, until
from tests.support.timelines import home, walk
from webapp.core.events.outbox import GROUPS
from webapp.core.store import PARTITIONS, partition_of
from webapp.following import keys as following_keys, store as following
from webapp.metrics.processes import processes
from webapp.statuses import store as statuses
from webapp.timelines import store

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("killing")]
StartSite = Callable[..., RunningSite]
LEASE_SECONDS = 2
ALL_LEASES = len(GROUPS) * PARTITIONS
FOLLOWERS = 20_000


@pytest.fixture
def start_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartSite]:
    """Start sites, and end all their processes with the test."""
    sites: list[RunningSite] = []

    def start(**settings: Any) -> RunningSite:
        folder = tmp_path_factory.mktemp("site")
        sites.append(RunningSite(folder, **{"lease_seconds": LEASE_SECONDS, **settings}))
        return sites[-1]

    yield start
    for site in sites:
        site.close()


def until_held(site: RunningSite, worker: Program, count: int) -> None:
    """Wait until a worker holds so many leases."""
    until(
        lambda: len(site.held_leases(worker)) == count,
        lambda: (len(site.held_leases(worker)), worker.output_tail),
    )


def until_shared(site: RunningSite, *workers: Program) -> None:
    """Wait until workers hold the same number of leases."""
    for worker in workers:
        until_held(site, worker, ALL_LEASES // len(workers))


def test_a_worker_killed_during_a_fan_out_loses_and_repeats_nothing(start_site: StartSite) -> None:
    site = start_site(fanout_batch=50)
    followers = create_followers(site.db, FOLLOWERS)
    posted = [post(site, STAR, f"status {number}") for number in range(4)]
    for status_id in (posted[0], posted[2]):
        worker = site.worker()
        until_fanout_begun(site, status_id, followers)
        worker.kill()
        assert 0 < len(homes_with(site.db, status_id, STAR, followers)) < FOLLOWERS
    site.worker()
    site.until_drained()
    for status_id in posted:
        assert homes_with(site.db, status_id, STAR, followers) == set(followers)
    assert set(home_sizes(site.db, followers)) == {len(posted)}
    for uid in (STAR, *followers[:: FOLLOWERS // 20]):
        assert home(site, uid) == sorted(posted, reverse=True)


def test_posts_survive_the_death_of_web_and_retries_repeat_none(start_site: StartSite) -> None:
    site = start_site()
    authors, followers = sign_up_authors(site)
    port = free_port()
    site.worker()
    web = site.serve(port)
    with posting(site, port, authors) as posters:
        for _ in range(2):
            posters.until_more(5)
            web.kill()
            posters.until_answered(0)
            web = site.serve(port)
        posters.until_more(5)
    assert_acknowledged_once(site, authors, followers, posters.acknowledged)


def reporting_web_pids(site: RunningSite) -> set[int]:
    """Return the ids of the web processes that report, as each does once it serves."""
    found = site.db.read(processes())
    return {int(one.id.rpartition(":")[2]) for one in found if one.kind == "web"}


@pytest.mark.long
def test_web_and_worker_wait_for_a_killed_store(start_site: StartSite) -> None:
    site = start_site()
    authors, followers = sign_up_authors(site)
    port = free_port()
    worker = site.worker()
    web = site.serve(port)
    server_processes = children(web.pid)
    # One that is still starting would end without a store, and be started again.
    until(lambda: reporting_web_pids(site) == server_processes)
    with posting(site, port, authors) as posters:
        for _ in range(2):
            posters.until_more(5)
            site.kill_store()
            posters.until_answered(503)
            site.start_store()
        posters.until_more(5)
    assert_acknowledged_once(site, authors, followers, posters.acknowledged)
    assert worker.alive and web.alive
    assert children(web.pid) == server_processes
    assert set(posters.statuses) <= {200, 303, 503}, "every request got a response"


@pytest.mark.long
def test_partitions_of_stopped_and_killed_workers_go_to_others(start_site: StartSite) -> None:
    site = start_site()
    uids = [sign_up(site, f"m{number}") for number in range(PARTITIONS)]
    reader = sign_up(site, "reader")
    for number in range(PARTITIONS):
        following.follow(site, reader, f"m{number}")
    posted: list[int] = []

    def post_in_every_partition() -> None:
        posted.extend(post(site, uid, f"status {len(posted)}") for uid in uids)

    survivor = site.worker()
    stopped = site.worker()
    until_shared(site, survivor, stopped)
    post_in_every_partition()
    assert stopped.stop() == 0
    assert site.held_leases(stopped) == set(), "a stopped worker gives its leases up"
    assert site.last_heartbeat(stopped) == 0
    post_in_every_partition()
    until_held(site, survivor, ALL_LEASES)
    killed = site.worker()
    until_shared(site, survivor, killed)
    post_in_every_partition()
    killed.kill()
    post_in_every_partition()
    until_held(site, survivor, ALL_LEASES)
    post_in_every_partition()
    site.until_drained()
    newest_first = sorted(posted, reverse=True)
    assert home(site, reader) == newest_first
    public = walk(lambda before: store.public(site, before), site.config.page_size)
    assert public == newest_first
    assert Counter(logged_ids(site.db, "posted")) == Counter(posted)


@pytest.mark.long
def test_a_worker_paused_beyond_its_lease_undoes_and_repeats_nothing(start_site: StartSite) -> None:
    site = start_site(fanout_batch=10)
    followers = create_followers(site.db, 2_000)
    former_follower, returning_follower = followers[0], followers[1_500]
    deleted = post(site, STAR, "to be deleted")
    kept = post(site, STAR, "to be kept")
    paused = site.worker()
    until_fanout_begun(site, deleted, followers)
    paused.send(SIGSTOP)
    assert 0 < len(homes_with(site.db, deleted, STAR, followers)) < len(followers)
    successor = site.worker()
    statuses.delete(site, STAR, deleted)
    following.unfollow(site, former_follower, f"m{STAR}")
    following.unfollow(site, returning_follower, f"m{STAR}")
    following.follow(site, returning_follower, f"m{STAR}")
    until(lambda: not site.waiting(), lambda: [*site.waiting(), successor.output_tail])
    current_followers = set(followers) - {former_follower}

    def check() -> None:
        assert homes_with(site.db, deleted, STAR, followers) == set()
        assert homes_with(site.db, kept, STAR, followers) == current_followers
        count = site.db.run(("ZCARD", following_keys.followers(STAR)))
        assert count == len(current_followers)

    check()
    last_heartbeat = site.last_heartbeat(paused)
    paused.send(SIGCONT)
    until(
        lambda: site.last_heartbeat(paused) > last_heartbeat and site.held_leases(paused),
        lambda: paused.output_tail,
    )
    check()
    late = post(site, STAR, "late")
    site.until_drained()
    assert homes_with(site.db, late, STAR, followers) == current_followers
    assert set(home_sizes(site.db, sorted(current_followers))) == {2}
    assert home(site, former_follower) == []
    assert home(site, returning_follower) == [late, kept]
    assert Counter(logged_ids(site.db, "posted")) == Counter([deleted, kept, late])
    assert logged_ids(site.db, "deleted") == [deleted]


def test_events_that_a_worker_reads_after_its_lease_are_still_applied(
    start_site: StartSite,
) -> None:
    """Read new events of a partition whose lease another, busy worker has taken."""
    site = start_site()
    ann = sign_up(site, "ann")
    ben = sign_up(site, "ben")
    following.follow(site, ben, "ann")
    p = partition_of(ann)
    paused = site.worker()
    until_held(site, paused, ALL_LEASES)
    site.until_drained()
    paused.send(SIGSTOP)
    successor = site.worker()
    until(
        lambda: {(group, p) for group in GROUPS} <= site.held_leases(successor),
        lambda: successor.output_tail,
    )
    first = post(site, ann, "first")
    until(lambda: not site.waiting(), site.waiting)
    successor.send(SIGSTOP)
    second = post(site, ann, "second")
    last_heartbeat = site.last_heartbeat(paused)
    paused.send(SIGCONT)
    until(
        lambda: newest_event_is_read(site.db, p) or site.last_heartbeat(paused) > last_heartbeat,
        lambda: paused.output_tail,
    )
    successor.send(SIGCONT)
    third = post(site, ann, "third")
    site.until_drained(patience=30)
    assert homes_with(site.db, second, ann, [ben]) == {ben}
    assert home(site, ben) == [third, second, first]
    assert logged_ids(site.db, "posted") == [first, second, third]

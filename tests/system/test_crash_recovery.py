"""Whatever is killed, and whenever: every acknowledged status is in every timeline it belongs to, once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.support.processes import Program, Site, children, free_port, plain, posting, until
from tests.timelines.test_store import home, walk
from webapp.accounts import keys as account_keys
from webapp.accounts import registration
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import GROUPS
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.store.reads import Command
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys
from webapp.timelines import keys as timeline_keys
from webapp.timelines import store
from webapp.timelines.profile import profile_page

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("killing")]
Begin = Callable[..., Site]
LEASE = 2  # seconds
ALL = len(GROUPS) * PARTITIONS
STAR = 1  # the author in the tests of long fan-outs; her followers are the members after her
FOLLOWERS = 20_000
CHUNK = 1_000  # members made, or homes looked at, in one trip


@pytest.fixture
def begin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begin]:
    """Starts sites, and ends all their processes with the test."""
    sites: list[Site] = []

    def start(**settings: Any) -> Site:
        sites.append(Site(tmp_path_factory.mktemp("site"), **{"lease_seconds": LEASE, **settings}))
        return sites[-1]

    yield start
    for site in sites:
        site.close()


def test_a_worker_killed_in_the_middle_of_a_long_fan_out_loses_and_repeats_nothing(
    begin: Begin,
) -> None:
    site = begin(fanout_batch=50)
    make_crowd(site.db, FOLLOWERS)
    fans = range(STAR + 1, STAR + 1 + FOLLOWERS)
    posted = [post(site, STAR, f"status {number}") for number in range(4)]
    for status_id in (posted[0], posted[2]):
        worker = site.worker()
        until_begun(site, status_id, fans)
        worker.kill()
        assert 0 < len(holders(site.db, entry(status_id, STAR), fans)) < FOLLOWERS
    site.worker()
    site.until_drained()
    for status_id in posted:
        assert holders(site.db, entry(status_id, STAR), fans) == set(fans)
    assert set(sizes(site.db, fans)) == {len(posted)}
    for uid in (STAR, *fans[:: FOLLOWERS // 20]):
        assert home(site.db, site.config, uid) == sorted(posted, reverse=True)


def test_web_killed_while_members_post_keeps_what_it_acknowledged_and_retries_make_no_second_one(
    begin: Begin,
) -> None:
    site = begin()
    authors, fans = make_members(site)
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
    assert_all_there_once(site, authors, fans, posters.acknowledged)


def test_the_store_killed_while_members_post_is_waited_for_by_web_and_worker(begin: Begin) -> None:
    site = begin()
    authors, fans = make_members(site)
    port = free_port()
    programs = [site.worker(), site.serve(port)]
    servers = children(programs[1].pid)
    with posting(site, port, authors) as posters:
        for _ in range(2):
            posters.until_more(5)
            site.kill_store()
            posters.until_answered(503)
            site.start_store()
        posters.until_more(5)
    assert_all_there_once(site, authors, fans, posters.acknowledged)
    assert all(program.alive for program in programs)
    assert children(programs[1].pid) == servers
    assert set(posters.answers) <= {200, 303, 503}  # always an answer


def test_the_partitions_of_stopped_and_of_killed_workers_go_to_the_others(begin: Begin) -> None:
    site = begin()
    uids = [sign_up(site, f"m{number}") for number in range(PARTITIONS)]
    reader = sign_up(site, "reader")
    for number in range(PARTITIONS):
        following.follow(site.db, site.config, reader, f"m{number}")
    posted = []

    def post_everywhere() -> None:
        posted.extend(post(site, uid, f"status {len(posted)}") for uid in uids)

    stays, stopped = site.worker(), site.worker()
    until_shared(site, stays, stopped)
    post_everywhere()
    assert stopped.stop() == 0
    assert site.holds(stopped) == set()  # at once, not when they have run out
    assert site.beat(stopped) == 0
    post_everywhere()
    until_held(site, stays, ALL)
    killed = site.worker()
    until_shared(site, stays, killed)
    post_everywhere()
    killed.kill()
    post_everywhere()
    until_held(site, stays, ALL)
    post_everywhere()
    site.until_drained()
    newest_first = sorted(posted, reverse=True)
    assert home(site.db, site.config, reader) == newest_first
    assert (
        walk(lambda before: store.public(site.db, site.config, before), site.config.page_size)
        == newest_first
    )
    assert Counter(logged(site.db, "posted")) == Counter(posted)


def test_a_worker_that_wakes_up_after_its_lease_undoes_and_repeats_nothing(begin: Begin) -> None:
    site = begin(fanout_batch=10)
    make_crowd(site.db, 2_000)
    fans = range(STAR + 1, STAR + 2_001)
    quitter, follower = fans[0], fans[1_500]
    deleted, kept = post(site, STAR, "to be deleted"), post(site, STAR, "to be kept")
    sleeper = site.worker()
    until_begun(site, deleted, fans)
    sleeper.send(SIGSTOP)
    assert 0 < len(holders(site.db, entry(deleted, STAR), fans)) < len(fans)
    heir = site.worker()
    statuses.delete(site.db, site.config, STAR, deleted)
    following.unfollow(site.db, site.config, quitter, f"m{STAR}")
    following.unfollow(site.db, site.config, follower, f"m{STAR}")
    following.follow(site.db, site.config, follower, f"m{STAR}")
    until(lambda: not site.waiting(), lambda: [*site.waiting(), heir.said])
    loyal = set(fans) - {quitter}

    def check() -> None:
        assert holders(site.db, entry(deleted, STAR), fans) == set()
        assert holders(site.db, entry(kept, STAR), fans) == loyal
        assert site.db.run(("ZCARD", following_keys.followers(STAR))) == len(loyal)

    check()
    asleep_at = site.beat(sleeper)
    sleeper.send(SIGCONT)
    until(lambda: site.beat(sleeper) > asleep_at and site.holds(sleeper), lambda: sleeper.said)
    check()
    late = post(site, STAR, "late")
    site.until_drained()
    assert holders(site.db, entry(late, STAR), fans) == loyal
    assert set(sizes(site.db, sorted(loyal))) == {2}
    assert home(site.db, site.config, quitter) == []
    assert home(site.db, site.config, follower) == [late, kept]
    assert Counter(logged(site.db, "posted")) == Counter([deleted, kept, late])
    assert logged(site.db, "deleted") == [deleted]


def test_what_a_worker_reads_after_its_lease_is_applied_all_the_same(begin: Begin) -> None:
    """It reads the new events of a partition before it learns that another has it, while that other is busy."""
    site = begin()
    ann, ben = sign_up(site, "ann"), sign_up(site, "ben")
    following.follow(site.db, site.config, ben, "ann")
    p = partition_of(ann)
    sleeper = site.worker()
    until_held(site, sleeper, ALL)
    site.until_drained()
    sleeper.send(SIGSTOP)
    heir = site.worker()
    until(lambda: {(group, p) for group in GROUPS} <= site.holds(heir), lambda: heir.said)
    first = post(site, ann, "first")
    until(lambda: not site.waiting(), site.waiting)
    heir.send(SIGSTOP)
    second = post(site, ann, "second")
    asleep_at = site.beat(sleeper)
    sleeper.send(SIGCONT)
    until(lambda: all_read(site.db, p) or site.beat(sleeper) > asleep_at, lambda: sleeper.said)
    heir.send(SIGCONT)
    third = post(site, ann, "third")
    site.until_drained(patience=30)
    assert holders(site.db, entry(second, ann), [ben]) == {ben}
    assert home(site.db, site.config, ben) == [third, second, first]
    assert logged(site.db, "posted") == [first, second, third]


# Members and what they write


def sign_up(site: Site, login: str) -> int:
    return registration.sign_up(site.db, site.config, login, login.title(), PASSWORD).uid


def make_members(site: Site) -> tuple[dict[int, str], dict[int, list[int]]]:
    """Authors (id → login), and who follows each; the authors follow each other in a ring."""
    authors = {sign_up(site, login): login for login in ("ann", "ben", "cat", "dan")}
    fans: dict[int, list[int]] = {uid: [] for uid in authors}
    for number in range(3):
        fan = sign_up(site, f"fan{number}")
        for uid, login in authors.items():
            following.follow(site.db, site.config, fan, login)
            fans[uid].append(fan)
    for uid, other in zip(authors, [*list(authors)[1:], next(iter(authors))], strict=True):
        following.follow(site.db, site.config, other, authors[uid])
        fans[uid].append(other)
    return authors, fans


def make_crowd(db: Db, size: int) -> None:
    """Members 1 to `size` + 1, all active; all but the first follow the first."""
    uids = range(STAR, STAR + size + 1)
    for chunk in (uids[start : start + CHUNK] for start in range(0, len(uids), CHUNK)):
        db.trip(*(command for uid in chunk for command in crowd_commands(uid)))
    db.run(("SET", account_keys.last_uid(), uids[-1]))


def crowd_commands(uid: int) -> Iterator[Command]:
    yield ("HSET", account_keys.user(uid), "login", f"m{uid}", "name", f"M{uid}", "joined", 1)
    yield ("SET", account_keys.login(f"m{uid}"), f"{uid}:1")
    yield ("ZADD", timeline_keys.active_members(partition_of(uid)), 2**31, uid)
    if uid != STAR:
        yield ("ZADD", following_keys.following(uid), uid, STAR)
        yield ("ZADD", following_keys.followers(STAR), uid, uid)


def post(site: Site, uid: int, text: str) -> int:
    return statuses.post(site.db, site.config, uid, plain(text), f"{uid}-{text}".replace(" ", "-"))


# What the store holds


def entry(status_id: int, author: int) -> str:
    return f"{status_id}:{author}"


def until_begun(site: Site, status_id: int, fans: Sequence[int]) -> None:
    """Waits until a fan-out is in its middle: well begun, and the last home does not have the status yet."""

    def begun() -> bool:
        homes = (timeline_keys.home(fans[len(fans) // 10]), timeline_keys.home(fans[-1]))
        early, last = site.db.trip(*(("ZSCORE", name, entry(status_id, STAR)) for name in homes))
        assert not last, "the fan-out was over before it could be interrupted"
        return bool(early)

    until(begun, lambda: [one.said for one in site.programs])


def holders(db: Db, member: str, uids: Sequence[int]) -> set[int]:
    """Those of the members whose home has the entry."""
    scores = chunked(db, uids, lambda uid: ("ZSCORE", timeline_keys.home(uid), member))
    return {uid for uid, score in zip(uids, scores, strict=True) if score}


def sizes(db: Db, uids: Sequence[int]) -> list[int]:
    """How many entries each home has."""
    return chunked(db, uids, lambda uid: ("ZCARD", timeline_keys.home(uid)))


def chunked(db: Db, uids: Sequence[int], command: Callable[[int], Command]) -> list[Any]:
    return [
        reply
        for start in range(0, len(uids), CHUNK)
        for reply in db.trip(*(command(uid) for uid in uids[start : start + CHUNK]))
    ]


def all_read(db: Db, p: int) -> bool:
    """Whether some worker has read the partition's newest event, for each group."""
    newest = db.run(("XREVRANGE", event_keys.outbox(p), "+", "-", "COUNT", 1))[0][0]
    return all(newest in group for group in db.run(("XINFO", "GROUPS", event_keys.outbox(p))))


def logged(db: Db, kind: str) -> list[int]:
    """The ids of the statuses that the log tells this of, in its order."""
    entries = [
        dict(zip(fields[::2], fields[1::2], strict=True))
        for _, fields in db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    ]
    return [int(fields["id"]) for fields in entries if fields["type"] == kind]


def assert_all_there_once(
    site: Site,
    authors: dict[int, str],
    fans: dict[int, list[int]],
    acknowledged: dict[int, list[str]],
) -> None:
    """What was acknowledged, and nothing else, is in each author's profile and home and in the followers' homes."""
    site.until_drained()
    size = site.config.page_size
    written = {
        uid: texts(site, uid, profile_of(site, login, size)) for uid, login in authors.items()
    }
    assert written == acknowledged
    for reader in {*authors, *(fan for some in fans.values() for fan in some)}:
        followed = [uid for uid in authors if uid == reader or reader in fans[uid]]
        shown = home(site.db, site.config, reader)
        for uid in followed:
            assert texts(site, uid, shown) == acknowledged[uid]
        assert len(shown) == sum(len(acknowledged[uid]) for uid in followed)
    everything = [
        status_id for login in authors.values() for status_id in profile_of(site, login, size)
    ]
    assert Counter(logged(site.db, "posted")) == Counter(everything)


def profile_of(site: Site, login: str, size: int) -> list[int]:
    return walk(
        lambda before: profile_page(site.db, site.config, login, None, before).timeline, size
    )


def texts(site: Site, author: int, shown: list[int]) -> list[str]:
    """The texts of one author's statuses among those shown, oldest first."""
    found = site.db.trip(
        *(
            ("HMGET", status_keys.status(status_id), "author", "text")
            for status_id in reversed(shown)
        )
    )
    return [text for uid, text in found if int(uid) == author]


# The workers


def until_held(site: Site, worker: Program, count: int) -> None:
    until(lambda: len(site.holds(worker)) == count, lambda: (len(site.holds(worker)), worker.said))


def until_shared(site: Site, *workers: Program) -> None:
    for worker in workers:
        until_held(site, worker, ALL // len(workers))

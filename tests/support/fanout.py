"""Members and statuses for tests that kill processes, and what timelines hold afterwards."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.conftest import PASSWORD
from tests.support.processes import RunningSite, plain, until
from tests.support.timelines import home, walk
from webapp.accounts import keys as account_keys, registration
from webapp.core.events import keys as event_keys
from webapp.core.store import Command, Db, partition_of, to_dict
from webapp.following import keys as following_keys, store as following
from webapp.statuses import keys as status_keys, store as statuses
from webapp.streaming import keys as stream_keys
from webapp.timelines.profile import ProfileQuery, profile_page

STAR = 1  # the uid of an author with many followers, who have the uids after hers
BATCH = 1_000  # members in one trip


def sign_up(site: RunningSite, login: str) -> int:
    """Sign a member up and return their uid."""
    return registration.sign_up(site, login, login.title(), PASSWORD).uid


def sign_up_authors(site: RunningSite) -> tuple[dict[int, str], dict[int, list[int]]]:
    """Return four authors (uid → login), and the followers of each.

    Three members follow all of them. The authors follow each other in a ring.
    """
    authors = {sign_up(site, login): login for login in ("ann", "ben", "cat", "dan")}
    followers: dict[int, list[int]] = {uid: [] for uid in authors}
    for number in range(3):
        follower = sign_up(site, f"fan{number}")
        for uid, login in authors.items():
            following.follow(site, follower, login)
            followers[uid].append(follower)
    uids = list(authors)
    for uid, other in zip(uids, [*uids[1:], uids[0]], strict=True):
        following.follow(site, other, authors[uid])
        followers[uid].append(other)
    return authors, followers


def create_followers(db: Db, count: int) -> range:
    """Create the star and so many active followers of hers. Return their uids."""
    uids = range(STAR, STAR + count + 1)
    for start in range(0, len(uids), BATCH):
        batch = uids[start : start + BATCH]
        db.trip(*(command for uid in batch for command in _member_commands(uid)))
    db.run(("SET", account_keys.last_uid(), uids[-1]))
    return uids[1:]


def _member_commands(uid: int) -> Iterator[Command]:
    yield ("HSET", account_keys.user(uid), "login", f"m{uid}", "name", f"M{uid}", "joined", 1)
    yield ("SET", account_keys.login(f"m{uid}"), f"{uid}:1")
    yield ("ZADD", account_keys.active_members(partition_of(uid)), 2**31, uid)
    if uid != STAR:
        yield ("ZADD", following_keys.following(uid), uid, STAR)
        yield ("ZADD", following_keys.followers(STAR), uid, uid)


def post(site: RunningSite, uid: int, text: str) -> int:
    """Post a status and return its id."""
    form_key = f"{uid}-{text}".replace(" ", "-")
    return statuses.post(site, uid, plain(text), form_key)


def until_fanout_begun(site: RunningSite, status_id: int, followers: Sequence[int]) -> None:
    """Wait until one of the star's statuses has reached some homes, but not the last one."""
    entry = _home_entry(status_id, STAR)
    early, last = followers[len(followers) // 10], followers[-1]

    def has_begun() -> bool:
        in_early, in_last = site.db.trip(
            ("ZSCORE", account_keys.home(early), entry), ("ZSCORE", account_keys.home(last), entry)
        )
        assert not in_last, "the fan-out was over before it could be interrupted"
        return bool(in_early)

    until(has_begun, lambda: [program.output_tail for program in site.programs])


def homes_with(db: Db, status_id: int, author: int, uids: Sequence[int]) -> set[int]:
    """Return those of the members whose home holds a status."""
    entry = _home_entry(status_id, author)
    scores = _in_batches(db, uids, lambda uid: ("ZSCORE", account_keys.home(uid), entry))
    return {uid for uid, score in zip(uids, scores, strict=True) if score}


def home_sizes(db: Db, uids: Sequence[int]) -> list[int]:
    """Return how many entries each home holds."""
    return _in_batches(db, uids, lambda uid: ("ZCARD", account_keys.home(uid)))


def _home_entry(status_id: int, author: int) -> str:
    return f"{status_id}:{author}"


def _in_batches(db: Db, uids: Sequence[int], command: Callable[[int], Command]) -> list[Any]:
    replies = []
    for start in range(0, len(uids), BATCH):
        replies += db.trip(*(command(uid) for uid in uids[start : start + BATCH]))
    return replies


def newest_event_is_read(db: Db, p: int) -> bool:
    """Return True if some worker has read a partition's newest event, for each group."""
    newest = db.run(("XREVRANGE", event_keys.outbox(p), "+", "-", "COUNT", 1))[0][0]
    return all(newest in group for group in db.run(("XINFO", "GROUPS", event_keys.outbox(p))))


def logged_ids(db: Db, kind: str) -> list[int]:
    """Return the ids of the statuses in the log's events of one type, in its order."""
    entries = db.run(("XRANGE", stream_keys.event_log(), "-", "+"))
    events = [to_dict(fields) for _, fields in entries]
    return [int(event["id"]) for event in events if event["type"] == kind]


def assert_acknowledged_once(
    site: RunningSite,
    authors: dict[int, str],
    followers: dict[int, list[int]],
    acknowledged: dict[int, list[str]],
) -> None:
    """Assert that profiles and homes contain exactly the acknowledged statuses."""
    site.until_drained()
    profiles = {uid: _profile_ids(site, login) for uid, login in authors.items()}
    assert {uid: _texts_of(site, uid, ids) for uid, ids in profiles.items()} == acknowledged
    for reader in {*authors, *(uid for uids in followers.values() for uid in uids)}:
        followed = [uid for uid in authors if uid == reader or reader in followers[uid]]
        shown = home(site, reader)
        for uid in followed:
            assert _texts_of(site, uid, shown) == acknowledged[uid]
        assert len(shown) == sum(len(acknowledged[uid]) for uid in followed)
    written = Counter(status_id for ids in profiles.values() for status_id in ids)
    assert Counter(logged_ids(site.db, "posted")) == written


def _profile_ids(site: RunningSite, login: str) -> list[int]:
    """Return the statuses of a profile, page by page."""
    return walk(
        lambda before: profile_page(site, ProfileQuery(login, None, before)).timeline,
        site.config.page_size,
    )


def _texts_of(site: RunningSite, author: int, status_ids: list[int]) -> list[str]:
    """Return the texts of one author's statuses among these, oldest first."""
    stored = site.db.trip(
        *(
            ("HMGET", status_keys.status(status_id), "author", "text")
            for status_id in reversed(status_ids)
        )
    )
    return [text for uid, text in stored if int(uid) == author]

"""Count the languages in which a member's followers write, from their newest public posts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts import keys as account_keys
from webapp.core.store import Db, Read, collect, gather, read
from webapp.statuses import keys as status_keys

from . import keys

SAMPLE = 1_000  # newest followers that are counted
POSTS = 3  # newest posts of each: the first in a known language counts
GROUP_MIN = 5  # followers; smaller groups are counted together


@dataclass(frozen=True, slots=True)
class Languages:
    """How many of a member's newest followers write in each language.

    `rows`: primary subtags and followers, most first. `others`: followers who write in rarer
    languages. `unknown`: those without a public post in a language that could be detected.
    """

    total: int
    rows: list[tuple[str, int]]
    others: int
    unknown: int


def newest_followers(uid: int) -> Read[list[int]]:
    """Read the uids of the followers that `count_languages` looks at."""
    command = ("ZRANGE", keys.followers(uid), 0, SAMPLE - 1, "REV")
    return read(command, lambda uids: list(map(int, uids)))


def count_languages(db: Db, uids: Sequence[int]) -> Languages:
    """Count the languages of members. Two trips."""
    newest = db.read(collect(map(_public_posts, uids)))
    of_members = db.read(collect(collect(map(_language, posts)) for posts in newest))
    counts = Counter(next(filter(None, languages), "") for languages in of_members)
    unknown = counts.pop("", 0)
    rows = [(code, count) for code, count in counts.most_common() if count >= GROUP_MIN]
    others = counts.total() - sum(count for _, count in rows)
    return Languages(len(uids), rows, others, unknown)


def _public_posts(uid: int) -> Read[list[int]]:
    """Read a member's newest posts that everybody may see."""
    hidden = read(
        ("HMGET", account_keys.user(uid), "protected", "suspended"), lambda fields: any(fields)
    )
    command = ("ZRANGE", status_keys.profile_statuses(uid), 0, POSTS - 1, "REV")
    posts = read(command, lambda ids: list(map(int, ids)))
    return gather(hidden, posts).map(lambda found: [] if found[0] else found[1])


def _language(status_id: int) -> Read[str]:
    """Read the primary subtag of a status's language, "" if it is unknown."""
    command = ("HGET", status_keys.status(status_id), "lang")
    return read(command, lambda tag: (tag or "").partition("-")[0])

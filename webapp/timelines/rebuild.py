"""Building a home timeline from the profiles it follows: at the first visit after a long time, and when something is
missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import keys
from ..config import Config
from ..db import Db
from ..ids import partition_of
from ..scripts import script
from ..statuses.boosts import entry, newest_from

BEGIN = script("timelines/begin_rebuild.lua")
MERGE = script("timelines/merge.lua")
READS_MAX = 5  # the follows may change while a rebuild reads; after so many times the next visit goes on
FIRST_LOOK = 40  # statuses of each author the first round reads at most


def rebuild(db: Db, config: Config, uid: int) -> None:
    """Builds a member's home anew. The member becomes active first, so that nothing posted meanwhile is missed; a
    crash leaves the mark that something is missing, and the next visit builds again. Raises NotFound for a member who
    has just gone.
    """
    names = [keys.home(uid), keys.following(uid), keys.active(partition_of(uid))]
    others = [keys.pulled(partition_of(uid)), keys.user(uid)]
    for _ in range(READS_MAX):
        mark, version, followed, pulled = db.run(BEGIN([*names, *others], uid))
        shown = {uid, *map(int, followed)}
        merged = {int(author) for author in pulled} - {uid}
        lists = [(author, listed) for author in shown for listed in _lists(uid, author, author in merged)]
        entries, more = gather(db, uid, lists, shown, config.home_max)
        head = (uid, "", 0, config.home_max, config.home_slack, int(more), mark, version)
        if db.run(MERGE([*names, keys.fences(keys.tag(uid))], *head, *entries)) >= 0:
            return


def gather(db: Db, uid: int, lists: Sequence[tuple[int, str]], shown: set[int], cap: int) -> tuple[list[str], bool]:
    """The newest `cap` entries that some lists of (author, key) make in a member's home, newest first, and whether
    older ones exist; of replies to others only those to members who are `shown` too. Lists that fill what was read of
    them are read further, twice as much each round, until nothing unread can be among the newest.
    """
    found: set[tuple[int, str]] = set()
    size = min(cap, max(FIRST_LOOK, 2 * cap // len(shown)))
    open_ = dict.fromkeys(lists, "+inf")
    left_out = False
    while open_:
        pages = db.trip(
            *(
                ("ZRANGE", name, top, "-inf", "BYSCORE", "REV", "LIMIT", 0, size, "WITHSCORES")
                for (_, name), top in open_.items()
            )
        )
        full = {}
        for source, page in zip(open_, pages, strict=True):
            found.update(_entries(uid, *source, page, shown))
            if len(page) == 2 * size:
                full[source] = int(page[-1])
        left_out = left_out or len(found) > cap
        newest = sorted(found, reverse=True)[:cap]
        found = set(newest)
        floor = newest[-1][0] if len(newest) == cap else 0
        open_ = {source: f"({last}" for source, last in full.items() if last > floor}
        left_out = left_out or len(open_) < len(full)
        size = min(2 * size, cap)
    return [name for _, name in newest], left_out


def _lists(uid: int, author: int, merged: bool) -> Iterator[str]:
    """The lists of an author's statuses and boosts that a member may see who follows them, or is the author; of one who
    is merged what names the member, for that alone is not.
    """
    yield keys.limited(author, uid)
    if not merged:
        yield from (keys.profile(author), keys.replied(author), keys.boosts(author))
        if author != uid:
            yield keys.limited(author, keys.FOLLOWERS)


def _entries(uid: int, author: int, listed: str, page: Sequence[str], shown: set[int]) -> Iterator[tuple[int, str]]:
    """The entries that a part of an author's list (`id`, or `id:to` where it answers another, or boosts, with their
    scores) makes in a home, with their ids. In their author's own home replies are like posts.
    """
    if listed == keys.boosts(author):
        yield from ((told.id, entry(told)) for told in newest_from(author, page))
        return
    for name in page[::2]:
        status_id, _, to = name.partition(":")
        if author == uid or not to:
            yield int(status_id), f"{status_id}:{author}"
        elif int(to) in shown:
            yield int(status_id), f"{status_id}:{author}:{to}"

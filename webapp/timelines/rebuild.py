"""Building a home timeline from the profiles it follows: at the first visit after a long time, and when something is
missing.
"""

from __future__ import annotations

from .. import keys
from ..config import Config
from ..db import Db
from ..ids import partition_of
from ..scripts import script

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
        authors = {uid, *map(int, followed)} - {int(author) for author in pulled if int(author) != uid}
        newest, more = _newest(db, authors, config.home_max)
        entries = [f"{status_id}:{author}" for status_id, author in newest]
        head = (uid, "", 0, config.home_max, config.home_slack, int(more), mark, version)
        if db.run(MERGE([*names, keys.fences(keys.tag(uid))], *head, *entries)) >= 0:
            return


def _newest(db: Db, authors: set[int], cap: int) -> tuple[list[tuple[int, int]], bool]:
    """The newest `cap` (status id, author) of many profiles, newest first, and whether older ones exist. Authors who
    fill what was read of them are read further, twice as much each round, until no unread status can be among the
    newest.
    """
    found: list[tuple[int, int]] = []
    size = min(cap, max(FIRST_LOOK, 2 * cap // len(authors)))
    open_: dict[int, str] = dict.fromkeys(authors, "+inf")
    left_out = False
    while open_:
        pages = db.trip(
            *(("ZRANGE", keys.profile(a), top, "-inf", "BYSCORE", "REV", "LIMIT", 0, size) for a, top in open_.items())
        )
        full = {}
        for author, page in zip(open_, pages, strict=True):
            found += [(int(status_id), author) for status_id in page]
            if len(page) == size:
                full[author] = int(page[-1])
        found.sort(reverse=True)
        left_out = left_out or len(found) > cap
        del found[cap:]
        floor = found[-1][0] if len(found) == cap else 0
        open_ = {author: f"({last}" for author, last in full.items() if last > floor}
        left_out = left_out or len(open_) < len(full)
        size = min(2 * size, cap)
    return found, left_out

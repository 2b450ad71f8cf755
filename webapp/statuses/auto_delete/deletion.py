"""The periodic job that deletes members' old posts, in slices.

A worker runs it for the partitions that it holds by lease. The script that deletes a post checks
the rule and the kept lists once more, so a change of either holds at once. An interrupted job
leaves its member due, and goes on in the next run. Two that overlap delete the same.
"""

import time
from collections.abc import Sequence
from contextlib import suppress

from webapp.accounts import keys as account_keys
from webapp.core.errors import Conflict, NotFound, Unavailable
from webapp.core.logs import going_on
from webapp.core.store import Db, Site, collect, read, script
from webapp.statuses import keys as status_keys
from webapp.statuses.attachments import staging
from webapp.statuses.edits import keys as edit_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.store import delete

from . import keys
from .store import Rule, rule_of

ADVANCE = script("statuses/auto_delete/lua/advance.lua")
MEMBERS = 3  # whom one run looks at: events of the partition wait meanwhile
POSTS_MAX = 25  # of one member that one run deletes
SLICE = 200  # of one member that one run looks at
EVERY_SECONDS = 6 * 3_600  # between two looks at all posts of a member
KEPT_LISTS = {
    "pinned": edit_keys.pinned_statuses,
    "bookmarked": interaction_keys.bookmarks,
    "liked": interaction_keys.member_likes,
}


def delete_due(site: Site, partition: int) -> int:
    """Delete some old posts of the members who are due; return how many.

    One trip, four for each member, and one for each post, two with pictures.
    """
    bounds = ("-inf", int(time.time()), "BYSCORE", "LIMIT", 0, MEMBERS)
    due = site.db.run(("ZRANGE", keys.auto_delete_due(partition), *bounds))
    count = 0
    for uid in map(int, due):
        with suppress(Unavailable):  # too many events wait: the next run goes on
            deleted = None  # of a member whose posts cannot be deleted
            with going_on(f"deleting old posts of member {uid}"):
                deleted = delete_some(site, uid)
            if deleted is None:
                rule = site.db.run(("HGET", keys.auto_delete(uid), "rule")) or ""
                later = int(time.time()) + EVERY_SECONDS
                site.db.run(ADVANCE(uid=uid, rule=rule, above=0, due_at=later))
            count += deleted or 0
    return count


def delete_some(site: Site, uid: int) -> int:
    """Delete some posts of a member, the oldest first, by the member's rule; return how many."""
    rule, above, suspended = site.db.fetch(
        rule_of(uid),
        read(("HGET", keys.auto_delete(uid), "above"), lambda id_: int(id_ or 0)),
        read(("HEXISTS", account_keys.user(uid), "suspended"), bool),
    )
    if rule is None or suspended:
        _advance(site.db, uid, rule, 0, EVERY_SECONDS)
        return 0
    ids = _oldest_ids(site.db, uid, above, rule.first_kept_id())
    chosen = _deletable(site.db, uid, ids, rule)[:POSTS_MAX]
    for count, status_id in enumerate(chosen):
        if not _delete(site, uid, status_id, rule):
            return count
    if len(chosen) == POSTS_MAX:
        _advance(site.db, uid, rule, chosen[-1], 0)
    elif len(ids) == SLICE:
        _advance(site.db, uid, rule, ids[-1], 0)
    else:
        _advance(site.db, uid, rule, 0, EVERY_SECONDS)
    return len(chosen)


def _advance(db: Db, uid: int, rule: Rule | None, above: int, seconds: int) -> None:
    """Note up to which post a member was looked at, and after how many seconds to go on."""
    due_at, packed = int(time.time()) + seconds, rule.pack() if rule else ""
    db.run(ADVANCE(uid=uid, rule=packed, above=above, due_at=due_at))


def _oldest_ids(db: Db, uid: int, above: int, below: int) -> list[int]:
    """Return the oldest SLICE ids of a member's posts between two ids. One trip."""
    bounds = (f"({above}", f"({below}", "BYSCORE", "LIMIT", 0, SLICE)
    lists = status_keys.authored_lists(uid)
    found = db.read(collect(read(("ZRANGE", key, *bounds), list) for key in lists))
    ids = (int(entry.partition(":")[0]) for entries in found for entry in entries)
    return sorted(ids)[:SLICE]


def _deletable(db: Db, uid: int, ids: Sequence[int], rule: Rule) -> list[int]:
    """Return the posts that are of no kind that the rule keeps. One trip."""
    if not ids:
        return []
    looked_into = ids if "media" in rule.kept else []
    scores, media = db.fetch(
        collect(read(("ZMSCORE", key, *ids), list) for key in _kept_lists(uid, rule)),
        collect(
            read(("HMGET", status_keys.status(one), "media", "poll"), any) for one in looked_into
        ),
    )
    kept = {one for row in scores for one, score in zip(ids, row, strict=True) if score}
    kept |= {one for one, has_media in zip(looked_into, media, strict=True) if has_media}
    return [one for one in ids if one not in kept]


def _delete(site: Site, uid: int, status_id: int, rule: Rule) -> bool:
    """Delete a post and its pictures. Return False if the rule has changed, or keeps it now."""
    try:
        names = delete(site, uid, status_id, rule.pack(), _kept_lists(uid, rule))
    except NotFound:  # deleted meanwhile
        return True
    except Conflict:
        return False
    staging.discard(site, uid, names)
    return True


def _kept_lists(uid: int, rule: Rule) -> list[str]:
    return [key(uid) for kind, key in KEPT_LISTS.items() if kind in rule.kept]

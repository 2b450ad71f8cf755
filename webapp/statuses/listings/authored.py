"""Walk over all statuses of a member, or the entries that belong to them, in slices."""

from collections.abc import Callable

from webapp.core.events.outbox import Context, read_page
from webapp.statuses import keys

POSTS_BATCH, MEMBERS_BATCH = 20, 50  # of one slice of `related_page`


def authored_page(
    context: Context, uid: int, cursor: str, size: int
) -> tuple[list[int], str | None]:
    """Read the ids of some of a member's statuses, and the next cursor. One trip.

    The cursor is the number of a list of statuses, and a cursor in that list. None at the end.
    """
    lists = keys.authored_lists(uid)
    number, _, place = (cursor or "0/").partition("/")
    entries, next_place = read_page(context, lists[int(number)], place, size)
    ids = [int(entry.partition(":")[0]) for entry in entries]
    if next_place is not None:
        return ids, f"{number}/{next_place}"
    return ids, f"{int(number) + 1}/" if int(number) + 1 < len(lists) else None


def related_page(
    context: Context, uid: int, cursor: str, key: Callable[[int], str], by_score: bool = False
) -> tuple[list[tuple[int, str]], str | None]:
    """Read some members of sorted sets, each of which belongs to one of a member's statuses.

    All scores in them are 0, or with `by_score` equal to the members. Return pairs of a status and
    a member of its set, and the next cursor, None at the end. The cursor is one of
    `authored_page`, the member up to which the sets were read, and the last status that has such
    sets. Two trips.
    """
    place, after, end = (*cursor.split(" "), "", "")[:3]
    ids, next_place = authored_page(context, uid, place, POSTS_BATCH)
    if end:  # those that took the places of deleted ones have not been read from the beginning
        ids = [one for one in ids if one >= int(end)]
        next_place = f"{(place or '0/').partition('/')[0]}/{end}"
    first, last, order = ("-inf", "+inf", "BYSCORE") if by_score else ("-", "+", "BYLEX")
    bounds = (f"({after}" if after else first, last, order, "LIMIT", 0, MEMBERS_BATCH)
    replies = context.db.trip_all(("ZRANGE", key(one), *bounds) for one in ids)
    pairs = [(one, member) for one, reply in zip(ids, replies, strict=True) for member in reply]
    full = [reply[-1] for reply in replies if len(reply) == MEMBERS_BATCH]
    if full:
        return pairs, f"{place} {min(full, key=int if by_score else str)} {end or ids[-1]}"
    return pairs, next_place and f"{next_place} "

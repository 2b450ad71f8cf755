"""Projections of removed places: they are erased from statuses."""

from webapp.core.events.outbox import Context, Event
from webapp.core.store import script
from webapp.statuses import keys as status_keys

ERASE_PLACES = script("statuses/attachments/lua/erase_places.lua")
BATCH = 1_000  # statuses of one slice


def erase_places(context: Context, event: Event, cursor: str) -> str | None:
    """Erase the hidden places of some of a member's statuses, oldest first, list after list.

    The cursor is the number of the list, and the last id that is done.
    """
    uid = event.number("uid")
    lists = status_keys.authored_lists(uid)
    number, _, last_id = cursor.partition(" ")
    index = int(number or 0)
    last = context.db.run(
        ERASE_PLACES(
            event,
            uid=uid,
            list=lists[index],
            bound=f"({last_id}" if last_id else "-inf",
            limit=BATCH,
        )
    )
    if last:
        return f"{index} {last}"
    return str(index + 1) if index + 1 < len(lists) else None

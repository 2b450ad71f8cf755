"""Projections of quotes: the list of quotes of each status. Safe to repeat, in any order."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.live_counts.changes import due_counts
from webapp.statuses.values.visibility import Visibility, protected_uids

SYNC_QUOTE = script("statuses/quotes/lua/sync_quote.lua")
QUOTED_GONE = -1  # the script's reply if the quoted status is gone


def sync_quotes(context: Context, events: Sequence[Event]) -> None:
    """Sync quotes, or their absence, to the statuses that they quote.

    A quoted status may have gone before its list knew of the quote. Then cached pages that show
    it are dropped here.
    """
    quotes = [event for event in events if "quoted_id" in event.data]
    existing = context.db.trip(
        *(("EXISTS", status_keys.status(int(event.data["id"]))) for event in quotes)
    )
    protected = protected_uids(context.db, (int(event.data["author"]) for event in quotes))
    counts = context.db.trip(
        *(
            sync_quote(
                event,
                quoted=int(event.data["quoted_id"]),
                quote=(int(event.data["id"]), int(event.data["author"])),
                exists=exists,
                is_public=not Visibility(event.data.get("visibility", "")).restricted
                and int(event.data["author"]) not in protected,
            )
            for event, exists in zip(quotes, existing, strict=True)
        )
    )
    pairs = zip(quotes, counts, strict=True)
    gone = {int(event.data["quoted_uid"]) for event, count in pairs if count == QUOTED_GONE}
    if gone:
        bump_versions(context.db, gone)


def sync_quote(
    event: Event, quoted: int, quote: tuple[int, int], exists: int, is_public: bool
) -> Command:
    """Return the command that syncs a quote (its id, its author's uid) to the quoted status."""
    quote_id, author = quote
    return SYNC_QUOTE(
        event,
        quoted=quoted,
        quote_id=quote_id,
        author=author,
        exists=exists,
        is_public=int(is_public),
        due=due_counts(event),
    )

"""Projections of quotes: the list of quotes of each status. Safe to repeat, in any order."""

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import Command, Steps, ask, collect, gather, read, script, send, send_all
from webapp.pagecache.member_versions import bump_commands
from webapp.statuses import keys as status_keys
from webapp.statuses.live_counts.changes import due_counts
from webapp.statuses.values.visibility import Visibility, protected_among

SYNC_QUOTE = script("statuses/quotes/lua/sync_quote.lua")
QUOTED_GONE = -1  # the script's reply if the quoted status is gone


@in_steps
def sync_quotes(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Sync quotes, or their absence, to the statuses that they quote. Two trips, none without any.

    A quoted status may have gone before its list knew of the quote. Then cached pages that show
    it are dropped here.
    """
    quotes = [event for event in events if "quoted_id" in event.data]
    existing, protected = yield from ask(
        gather(
            collect(
                read(("EXISTS", status_keys.status(event.number("id"))), int) for event in quotes
            ),
            protected_among(event.number("author") for event in quotes),
        )
    )
    counts = yield from send_all(
        sync_quote(
            event,
            quoted=event.number("quoted_id"),
            quote=(event.number("id"), event.number("author")),
            exists=exists,
            is_public=not Visibility(event.data.get("visibility", "")).restricted
            and event.number("author") not in protected,
        )
        for event, exists in zip(quotes, existing, strict=True)
    )
    pairs = zip(quotes, counts, strict=True)
    gone = {event.number("quoted_uid") for event, count in pairs if count == QUOTED_GONE}
    if gone:
        yield from send(*bump_commands(gone))


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

"""What quotes do elsewhere: the lists of what quotes a status. Safe to run twice, and in any order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.pagecache.member_versions import bump_versions
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility.visibility import Visibility, protected_uids

SYNC = script("statuses/quotes/lua/sync_quote.lua")
QUOTED_GONE = -1  # what the script says of a status that is not there any more


def sync_quotes(context: Context, events: Sequence[Event]) -> None:
    """Brings what is quoted up to whether the quotes are there. Where it is gone, it may have gone before its list knew
    of the quote: whatever page shows it in that is dropped here.
    """
    quotes = [event for event in events if "quote" in event.data]
    existing = context.db.trip(
        *(("EXISTS", status_keys.status(int(event.data["id"]))) for event in quotes)
    )
    protected_authors = protected_uids(context.db, (int(event.data["author"]) for event in quotes))
    counts = context.db.trip(
        *(
            _sync_command(event, there, protected_authors)
            for event, there in zip(quotes, existing, strict=True)
        )
    )
    gone = {
        int(event.data["quoted"])
        for event, count in zip(quotes, counts, strict=True)
        if count == QUOTED_GONE
    }
    if gone:
        bump_versions(context.db, gone)


def sync_quote_command(
    event: Event, quoted: int, quote: tuple[int, int], exists: int, is_public: bool
) -> Command:
    """The command that puts a quote (its id, its author) on the list of what it quotes, or takes it off."""
    names = [
        event_keys.fences(partition_tag(quoted)),
        status_keys.status(quoted),
        status_keys.quotes(quoted),
        status_keys.detached_quotes(quoted),
    ]
    return SYNC(names, *event.fence, *quote, exists, int(is_public))


def _sync_command(event: Event, exists: int, protected_authors: Collection[int]) -> Command:
    quote = int(event.data["id"]), int(event.data["author"])
    is_public = (
        not Visibility(event.data.get("vis", "")).restricted and quote[1] not in protected_authors
    )
    return sync_quote_command(event, int(event.data["quote"]), quote, exists, is_public)

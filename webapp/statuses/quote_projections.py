"""What quotes do elsewhere: the lists of what quotes a status. Safe to run twice, and in any order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..pagestore import change
from ..scripts import script
from .visibility import Visibility, protected

MIRROR = script("statuses/mirror_quote.lua")
GONE = -1  # what the script says of a status that is not there any more


def mirror(context: Context, events: Sequence[Event]) -> None:
    """Brings what is quoted up to whether the quotes are there. Where it is gone, it may have gone before its list knew
    of the quote: whatever page shows it in that is dropped here.
    """
    quotes = [event for event in events if "quote" in event.data]
    exist = context.db.trip(*(("EXISTS", keys.status(int(event.data["id"]))) for event in quotes))
    hidden = protected(context.db, (int(event.data["author"]) for event in quotes))
    counts = context.db.trip(*(_mirroring(event, there, hidden) for event, there in zip(quotes, exist, strict=True)))
    gone = {int(event.data["quoted"]) for event, count in zip(quotes, counts, strict=True) if count == GONE}
    if gone:
        change(context.db, gone)


def mirroring(event: Event, quoted: int, quote: tuple[int, int], there: int, for_all: bool) -> Command:
    """The command that puts a quote (its id, its author) on the list of what it quotes, or takes it off."""
    names = [keys.fences(keys.tag(quoted)), keys.status(quoted), keys.quotes(quoted), keys.detached(quoted)]
    return MIRROR(names, *event.fence, *quote, there, int(for_all))


def _mirroring(event: Event, there: int, hidden: Collection[int]) -> Command:
    quote = int(event.data["id"]), int(event.data["author"])
    for_all = not Visibility(event.data.get("vis", "")).limited and quote[1] not in hidden
    return mirroring(event, int(event.data["quote"]), quote, there, for_all)

"""Quote cards: quoted statuses as a viewer sees them.

A quote names the status it is about. The card is read for each page, by the quoted author's wishes
at that moment, and never stored with the quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from webapp.core.store import Read, constant, gather
from webapp.statuses.items import Item, status_of
from webapp.statuses.lookup import Entry, statuses
from webapp.statuses.quotes import keys as quote_keys
from webapp.statuses.status import Status
from webapp.statuses.viewer.viewer_state import QuoteCard
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship


def quote_cards(viewer: int | None, items: Iterable[Item]) -> Read[Mapping[int, QuoteCard]]:
    """Read the cards of those items that quote a status, by the ids of their statuses."""
    quoted = {status.id: status.quote for status in map(status_of, items) if status.quote}
    if not quoted:
        return constant({})
    entries = list(dict.fromkeys(quoted.values()))

    def combine(results: tuple[Any, ...]) -> Mapping[int, QuoteCard]:
        found, detached, relation = results
        status_by_entry: dict[Entry, Status | None] = dict(zip(entries, found, strict=True))
        return {
            quote_id: build_card(status_by_entry[entry], relation, is_detached)
            for (quote_id, entry), is_detached in zip(quoted.items(), detached, strict=True)
        }

    return gather(
        statuses(entries),
        are_detached([(quote_id, entry[0]) for quote_id, entry in quoted.items()]),
        relationship(viewer, {author for _, author in entries}),
    ).map(combine)


def are_detached(quotes: Sequence[tuple[int, int]]) -> Read[list[bool]]:
    """Read which quotes (each: its id, the quoted id) their quoted author has detached."""
    commands = tuple(
        ("ZSCORE", quote_keys.detached_quotes(quoted_id), quote_id)
        for quote_id, quoted_id in quotes
    )
    return Read(commands, lambda scores: [score is not None for score in scores])


def build_card(status: Status | None, relationship: Relationship, is_detached: bool) -> QuoteCard:
    """Return the card of a quoted status as a viewer sees it."""
    if is_detached:
        return QuoteCard(None, detached=True)
    if status is None or not relationship.is_visible(status):
        return QuoteCard(None)
    return QuoteCard(status, muted=not relationship.visible_in_timelines(status.author.uid))

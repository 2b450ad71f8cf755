"""The list of a status's quotes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webapp.accounts.member import Member
from webapp.core.store import Db, Read, read
from webapp.core.web import newest_below, paginate
from webapp.statuses.hydration import complete, hydrate, with_memberships
from webapp.statuses.items import status_of
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.lookup import Entry
from webapp.statuses.quotes import keys as quote_keys
from webapp.statuses.status import Status
from webapp.statuses.visibility.targets import audience

from .cards import are_detached, build_card


@dataclass(frozen=True, slots=True)
class QuotesPage:
    """A page of quotes of a status, newest first."""

    author: Member  # of the quoted status
    page: Timeline[Status]
    count: int  # of all quotes


def quotes_page(
    db: Db, status_id: int, before: int | None, size: int, viewer: int | None
) -> QuotesPage:
    """Return quotes of a status that everybody may see, below the cursor `before`.

    Quotes hidden from the viewer are counted and left out. Two trips, one more for a status of a
    closed group, and one for names of groups and the viewer's very recent actions. Raises NotFound,
    also if the status is not meant for the viewer; Forbidden if its author is suspended, or hidden
    from the viewer.
    """
    quoted, entries = db.fetch(audience(status_id), _newest_quotes(status_id, before, size + 1))
    quote_ids = [quote_id for quote_id, _ in entries]
    found, detached = db.fetch(
        hydrate([(status_id, quoted.author), *entries], viewer),
        are_detached([(quote_id, status_id) for quote_id in quote_ids]),
    )
    found = db.read(with_memberships(found))
    quoted_item, *quotes = found.items
    status = found.relationship.require_visible(quoted_item)
    page = paginate(list(zip(quote_ids, quotes, strict=True)), size)
    visible = [status_of(one) for one in page.items if one and found.relationship.is_visible(one)]
    cards = {
        quote_id: build_card(status, found.relationship, is_detached)
        for quote_id, is_detached in zip(quote_ids, detached, strict=True)
    }
    state = replace(found.viewer_state, quote_cards=cards)
    state = db.read(complete(viewer, visible, state))
    shown = Timeline(tuple(visible), page.next, viewer_state=state)
    return QuotesPage(status.author, shown, status.quotes)


def _newest_quotes(status_id: int, before: int | None, limit: int) -> Read[list[Entry]]:
    def parse(reply: list[str]) -> list[Entry]:
        pairs = (entry.split(":") for entry in reply)
        return [(int(quote_id), int(author)) for quote_id, author in pairs]

    return read(newest_below(quote_keys.quotes(status_id), before, limit), parse)

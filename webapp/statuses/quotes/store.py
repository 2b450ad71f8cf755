"""Quotes of a status: detaching them, choosing who may quote, and their page."""

from __future__ import annotations

from dataclasses import dataclass, replace

from webapp.accounts import keys as account_keys
from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.accounts.quote_policy import QuotePolicy
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Read, read
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound, paginate
from webapp.errors import NotFound
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.hydration import hydrate
from webapp.statuses.interactions.viewer_reads import recent_counts
from webapp.statuses.interactions.viewer_state import ViewerState
from webapp.statuses.items import status_of
from webapp.statuses.lookup import Entry
from webapp.statuses.status import Status
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.targets import audience, require_own_partition

from .cards import are_detached, build_card

DETACH = script("statuses/quotes/lua/detach.lua")
REATTACH = script("statuses/quotes/lua/reattach.lua")
SET_QUOTE_POLICY = script("statuses/visibility/lua/set_quote_policy.lua")


@dataclass(frozen=True, slots=True)
class QuotesPage:
    """A page of quotes of a status, newest first."""

    author: Member  # of the quoted status
    page: Page[Status]
    count: int  # of all quotes
    viewer_state: ViewerState


def quotes_page(
    db: Db, status_id: int, before: int | None, size: int, viewer: int | None
) -> QuotesPage:
    """Return quotes of a status that everybody may see, below the cursor `before`.

    Quotes hidden from the viewer are counted and left out. Two trips, and one more for what the
    viewer did just now. Raises NotFound, also if the status is not meant for the viewer; Forbidden
    if its author is suspended, or hidden from the viewer.
    """
    quoted, entries = db.fetch(audience(status_id), _newest_quotes(status_id, before, size + 1))
    quote_ids = [quote_id for quote_id, _ in entries]
    found, detached = db.fetch(
        hydrate([(status_id, quoted.author), *entries], viewer),
        are_detached([(quote_id, status_id) for quote_id in quote_ids]),
    )
    quoted_item, *quotes = found.items
    status = found.relationship.require_visible(status_of(quoted_item) if quoted_item else None)
    page = paginate(list(zip(quote_ids, quotes, strict=True)), size)
    visible = [status_of(one) for one in page.items if one and found.relationship.is_visible(one)]
    cards = {
        quote_id: build_card(status, found.relationship, is_detached)
        for quote_id, is_detached in zip(quote_ids, detached, strict=True)
    }
    state = replace(db.read(recent_counts(viewer, found.viewer_state)), quote_cards=cards)
    return QuotesPage(status.author, Page(tuple(visible), page.next), status.quotes, state)


def detach(db: Db, config: Config, uid: int, quote_id: int) -> None:
    """Take a member's status out of a quote of it. Doing it again changes nothing. Three trips.

    Raises NotFound, also if the quote is not meant for the member or is of another's status;
    Conflict (detached_max reached); Unavailable.
    """
    status_id = _load_own_quoted(db, uid, quote_id)
    partition = partition_of(uid)
    db.run(
        DETACH(
            status=status_keys.status(status_id),
            detached=status_keys.detached_quotes(status_id),
            outbox=event_keys.outbox(partition),
            uid=uid,
            id=status_id,
            quote_id=quote_id,
            limit=config.detached_max,
            partition=partition,
            outbox_max=config.outbox_max,
            request_id=request_id.get(),
        )
    )


def reattach(db: Db, config: Config, uid: int, quote_id: int) -> None:
    """Show a member's status in a quote again. Three trips. Raises as `detach`."""
    status_id = _load_own_quoted(db, uid, quote_id)
    partition = partition_of(uid)
    db.run(
        REATTACH(
            status=status_keys.status(status_id),
            detached=status_keys.detached_quotes(status_id),
            outbox=event_keys.outbox(partition),
            uid=uid,
            id=status_id,
            quote_id=quote_id,
            partition=partition,
            outbox_max=config.outbox_max,
            request_id=request_id.get(),
        )
    )


def set_quote_policy(db: Db, uid: int, status_id: int, policy: QuotePolicy) -> None:
    """Set who may quote a member's own status. Quotes that exist stay. One trip.

    Raises NotFound; Forbidden if it is somebody else's, or the member is suspended.
    """
    require_own_partition(db, uid, status_id)
    db.run(
        SET_QUOTE_POLICY(
            status=status_keys.status(status_id),
            user=account_keys.user(uid),
            uid=uid,
            id=status_id,
            policy=policy.value,
        )
    )


def _newest_quotes(status_id: int, before: int | None, limit: int) -> Read[list[Entry]]:
    command = (
        *("ZRANGE", status_keys.quotes(status_id), max_bound(before), "-inf", "BYSCORE", "REV"),
        *("LIMIT", 0, limit),
    )

    def parse(reply: list[str]) -> list[Entry]:
        pairs = (entry.split(":") for entry in reply)
        return [(int(quote_id), int(author)) for quote_id, author in pairs]

    return read(command, parse)


def _load_own_quoted(db: Db, uid: int, quote_id: int) -> int:
    """Return the id of the member's status that a quote shows. Two trips. Raises NotFound."""
    fields: Read[list[str | None]] = read(
        ("HMGET", status_keys.status(quote_id), "quote", "quoted"), lambda reply: reply
    )
    meant_for, (quoted_id, quoted_author) = db.fetch(audience(quote_id), fields)
    if not quoted_id or int(quoted_author or 0) != uid:
        raise NotFound("no_status")
    author, follows = db.fetch(
        accounts.get(meant_for.author),
        read(("ZSCORE", following_keys.following(uid), meant_for.author), bool),
    )
    if author is None:
        raise NotFound("no_status")
    follows_author = frozenset({author.uid} if follows else ())
    meant_for.require_visible(author, Relationship(uid, follows=follows_author))
    return int(quoted_id)

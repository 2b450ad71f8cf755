"""What statuses quote. A quote names the status that it is about; what a reader is shown of that is read anew for each
page, as its author wishes at this moment, and never kept with the quote.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.quote_policy import QuotePolicy
from webapp.accounts.store import Member, member_command, member_from
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import Page, max_bound, paginate
from webapp.errors import NotFound
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.hydration import complete
from webapp.statuses.interactions.viewer_reads import recent_counts, viewer_state
from webapp.statuses.interactions.viewer_state import EMPTY_STATE, ViewerState
from webapp.statuses.items import Item, uids_on_page
from webapp.statuses.status import Status
from webapp.statuses.store import hydration
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import relationship_commands, relationship_from
from webapp.statuses.visibility.targets import not_owner_error
from webapp.statuses.visibility.visibility import effective_visibility, unpack_uids

from .cards import build_card

__all__ = ["QuoteCardLoader", "uids_on_page", "with_quote_cards"]

DETACH = script("statuses/quotes/lua/detach.lua")
REATTACH = script("statuses/quotes/lua/reattach.lua")
SET_QUOTE_POLICY = script("statuses/visibility/lua/set_quote_policy.lua")


@dataclass(frozen=True, slots=True)
class QuotesPage:
    """The author of a status, a page of what quotes it, newest first, how many quotes there are, and what the reader
    did with those on the page.
    """

    author: Member
    page: Page[Status]
    count: int
    viewer_state: ViewerState


class QuoteCardLoader:
    """`complete` as commands and a parser."""

    def __init__(self, viewer: int | None, items: Iterable[Item], state: ViewerState) -> None:
        read = complete(viewer, items, state)
        self.commands, self.parse = list(read.commands), read.parse


def with_quote_cards(
    db: Db,
    viewer: int | None,
    items: Iterable[Item],
    state: ViewerState = EMPTY_STATE,
    extra: Sequence[Command] = (),
) -> ViewerState:
    """Return the completed state, in one trip with `extra`; none if nothing is missing."""
    loader = QuoteCardLoader(viewer, items, state)
    return loader.parse(db.trip_by_group(loader.commands, extra)[0])


def quotes_page(
    db: Db, status_id: int, before: int | None, size: int, viewer: int | None
) -> QuotesPage:
    """What quotes a status and everybody may see; `before`: the last page's cursor. Those whom the viewer is not shown
    are counted and left out. Two trips, and one for what the viewer did just now. Raises NotFound, also where the
    status is not for them; Forbidden when its author is suspended, or hidden from them.
    """
    newest = (
        "ZRANGE",
        status_keys.quotes(status_id),
        max_bound(before),
        "-inf",
        "BYSCORE",
        "REV",
        "LIMIT",
        0,
        size + 1,
    )
    stored_author, stored_entries = db.trip(
        ("HGET", status_keys.status(status_id), "author"), newest
    )
    if stored_author is None:
        raise NotFound("no_status")
    quoted_entry = (status_id, int(stored_author))
    entries = [
        (int(one), int(author)) for one, author in (entry.split(":") for entry in stored_entries)
    ]
    commands, parse = hydration([quoted_entry, *entries])
    quote_ids, author_uids = (
        [one for one, _ in entries],
        {author for _, author in (quoted_entry, *entries)},
    )
    relation_commands, state_commands = (
        relationship_commands(viewer, author_uids),
        viewer_state(viewer, entries).commands,
    )
    detached_commands: list[Command] = [
        ("ZSCORE", status_keys.detached_quotes(status_id), one) for one in quote_ids
    ]
    replies = db.trip(*detached_commands, *relation_commands, *state_commands, *commands)
    parts = _split_replies(
        replies, len(detached_commands), len(relation_commands), len(state_commands)
    )
    relationship = relationship_from(viewer, author_uids, parts[1])
    quoted_status, *statuses = parse(parts[3])
    status = relationship.require_visible(quoted_status)
    cards = {
        one: build_card(status, relationship, at is not None)
        for one, at in zip(quote_ids, parts[0], strict=True)
    }
    page = paginate(list(zip(quote_ids, statuses, strict=True)), size)
    visible_quotes = tuple(one for one in page.items if one and relationship.is_visible(one))
    state = replace(
        db.read(recent_counts(viewer, viewer_state(viewer, entries).parse(parts[2]))),
        quote_cards=cards,
    )
    return QuotesPage(status.author, Page(visible_quotes, page.next), status.quotes, state)


def detach(db: Db, config: Config, uid: int, quote_id: int) -> None:
    """Takes a member's status out of a quote of it; again is no change. Three trips. Raises NotFound, also where the
    quote is not for them or is of another's status; Conflict at DETACHED_MAX; Unavailable.
    """
    names, status_id, p = _load_own_quoted(db, uid, quote_id)
    db.run(
        DETACH(
            names,
            uid,
            status_id,
            quote_id,
            config.detached_max,
            p,
            config.outbox_max,
            *request_id_args(),
        )
    )


def reattach(db: Db, config: Config, uid: int, quote_id: int) -> None:
    """Shows it there again; what it was not taken out of is no change. Raises as `detach`."""
    names, status_id, p = _load_own_quoted(db, uid, quote_id)
    db.run(REATTACH(names, uid, status_id, quote_id, p, config.outbox_max, *request_id_args()))


def set_quote_policy(db: Db, uid: int, status_id: int, policy: QuotePolicy) -> None:
    """Says anew who may quote a member's own status; what quotes it stays. Raises NotFound; Forbidden when it is
    somebody else's, or the member is suspended.
    """
    if partition_of(status_id) != partition_of(
        uid
    ):  # its author lives elsewhere, so it cannot be this member's
        raise not_owner_error(db, status_id)
    db.run(
        SET_QUOTE_POLICY(
            [status_keys.status(status_id), account_keys.user(uid)], uid, status_id, policy.value
        )
    )


def _load_own_quoted(db: Db, uid: int, quote_id: int) -> tuple[list[str], int, int]:
    """Keys for the scripts, the status of this member that a quote shows, and its partition."""
    stored_author, vis, mentioned, quoted, quoted_author = db.run(
        ("HMGET", status_keys.status(quote_id), "author", "vis", "who", "quote", "quoted")
    )
    if stored_author is None or not quoted or int(quoted_author) != uid:
        raise NotFound("no_status")
    follows, fields = db.trip(
        ("ZSCORE", following_keys.following(uid), stored_author), member_command(int(stored_author))
    )
    relationship, member = (
        Relationship(uid, follows=frozenset({int(stored_author)} if follows else ())),
        member_from(int(stored_author), fields),
    )
    if member is None or not relationship.may_see(
        int(stored_author), effective_visibility(vis, member), unpack_uids(mentioned)
    ):
        raise NotFound("no_status")
    status_id, p = int(quoted), partition_of(uid)
    return (
        [
            status_keys.status(status_id),
            status_keys.detached_quotes(status_id),
            event_keys.outbox(p),
        ],
        status_id,
        p,
    )


def _split_replies(replies: Sequence[Any], *sizes: int) -> list[Sequence[Any]]:
    """The replies in parts of these sizes, and what is left."""
    parts, start = [], 0
    for size in sizes:
        parts.append(replies[start : start + size])
        start += size
    return [*parts, replies[start:]]

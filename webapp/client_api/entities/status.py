"""Statuses and boosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from webapp.accounts.member import Member
from webapp.client_api.http import format_time
from webapp.core.media.signatures import bearer_signer
from webapp.core.store import ids
from webapp.core.text.parser import Entity, tag_name
from webapp.core.web import config
from webapp.statuses import FilterSet, Item, ViewerState
from webapp.statuses.interactions.button_rendering import counts_and_flags
from webapp.statuses.items import Boost
from webapp.statuses.status import Status as Stored
from webapp.statuses.viewer.viewer_state import QuoteCard

from .account import Account, visibility_name
from .content import to_html
from .filter import FilterResult, filter_results
from .media import MediaAttachment, media_attachment
from .status_parts import Poll, PreviewCard, QuoteApproval, poll_of, preview_card, quote_approval


class Mention(msgspec.Struct, frozen=True):
    """A member whom a status mentions."""

    id: str
    username: str
    acct: str
    url: str


class StatusTag(msgspec.Struct, frozen=True):
    """A hashtag of a status."""

    name: str
    url: str


class Quote(msgspec.Struct, kw_only=True):
    """The quote of a status. In a quoted status it has only the id of what that quotes.

    `state`: accepted, revoked by who is quoted, muted_account, or unauthorized: the quoted status
    is gone or not for the reader, which look the same.
    """

    state: str
    quoted_status: Status | UnsetType | None = UNSET
    quoted_status_id: str | UnsetType | None = UNSET


class Status(msgspec.Struct, kw_only=True):
    """A status as its reader sees it. `reblog`: the status that a boost shows."""

    id: str
    created_at: str
    edited_at: str | None
    in_reply_to_id: str | None
    in_reply_to_account_id: str | None
    sensitive: bool
    spoiler_text: str
    visibility: str
    language: str | None
    uri: str
    url: str
    replies_count: int
    reblogs_count: int
    favourites_count: int
    quotes_count: int
    content: str
    account: Account
    media_attachments: list[MediaAttachment]
    mentions: list[Mention]
    tags: list[StatusTag]
    poll: Poll | None
    card: PreviewCard | None
    favourited: bool
    reblogged: bool
    bookmarked: bool
    pinned: bool
    muted: bool
    emojis: list[str] = []
    filtered: list[FilterResult] = []
    application: dict[str, Any] | None = None
    text: str | None = None
    reblog: Status | None = None
    quote: Quote | None
    quote_approval: QuoteApproval


@dataclass(frozen=True, slots=True)
class View:
    """Values that statuses are shown with: their reader, and the accounts and members in them.

    `accounts` by uid, `mentioned` members by login in lower case. `base`: the site's address.
    `filters`: those of the viewer. `follows`: authors whom the viewer follows, of those whose
    followers may quote. `muted`: the conversations that the viewer has muted, by their first post.
    """

    viewer: int | None
    state: ViewerState
    accounts: Mapping[int, Account]
    mentioned: Mapping[str, Member]
    base: str
    filters: FilterSet
    follows: frozenset[int]
    muted: frozenset[int]


def status_entity(item: Item, view: View, is_quoted: bool = False) -> Status:
    """Return a status, or a boost as a status of the booster. `is_quoted`: by another one."""
    if isinstance(item, Boost):
        return _boost(item, view)
    status, base = with_signed_pictures(item), view.base
    shown = counts_and_flags(status, view.state, view.state.interacted_ids())
    reply, url = status.in_reply_to, f"{base}/@{status.author.login}/{status.id}"
    return Status(
        id=str(status.id),
        created_at=format_time(status.created),
        edited_at=format_time(status.edited) if status.edited else None,
        in_reply_to_id=str(reply.id) if reply else None,
        in_reply_to_account_id=str(reply.uid) if reply else None,
        sensitive=status.covers_pictures,
        spoiler_text=status.cw,
        visibility=visibility_name(status.visibility.slug),
        language=status.lang or None,
        uri=url,
        url=url,
        replies_count=shown.replies,
        reblogs_count=shown.boosts,
        favourites_count=shown.likes,
        quotes_count=shown.quotes,
        content=_content(status, view),
        account=view.accounts[status.author.uid],
        media_attachments=[media_attachment(picture, base) for picture in status.pictures],
        mentions=_mentions(status, view),
        tags=_tags(status, base),
        poll=poll_of(status, view.state, view.viewer),
        card=preview_card(status.card, base) if status.card else None,
        favourited=shown.liked,
        reblogged=shown.boosted,
        bookmarked=shown.bookmarked,
        pinned=status.pinned and view.viewer == status.author.uid,
        muted=status.conversation in view.muted,
        filtered=filter_results(view.filters, status),
        quote=_quote(status, view, is_quoted),
        quote_approval=quote_approval(status, view.viewer, view.follows),
    )


def with_signed_pictures(status: Stored) -> Stored:
    """Return a status with addresses of its pictures that its reader's app can open."""
    if not (status.pictures and status.visibility.restricted):
        return status
    signer = bearer_signer(config())
    signed = [replace(one, query=signer.query(one.name)) for one in status.pictures]
    return replace(status, pictures=tuple(signed))


def _boost(boost: Boost, view: View) -> Status:
    """Return a boost: the booster's status, which repeats what it shows."""
    shown = status_entity(boost.status, view)
    return msgspec.structs.replace(
        shown,
        id=str(boost.id),
        created_at=format_time(ids.created_at(boost.id)),
        uri=f"{view.base}/@{boost.booster.login}/boosts/{boost.id}",
        account=view.accounts[boost.booster.uid],
        reblog=shown,
    )


def _content(status: Stored, view: View) -> str:
    """Return the text. A quote is a link in front of it: older clients know no other."""
    content = to_html(status.text, tuple(_named(status.entities, view)), view.base)
    card = view.state.quote_cards.get(status.id)
    quoted = card.status if card and not card.muted else None
    if quoted is None:
        return content
    url = f"{view.base}/@{quoted.author.login}/{quoted.id}"
    return f'<p class="quote-inline">RE: <a href="{url}">{url}</a></p>{content}'


def _quote(status: Stored, view: View, is_shallow: bool) -> Quote | None:
    """Return the quote of a status as its reader may see it, None if it quotes nothing."""
    if status.quote is None:
        return None
    card = view.state.quote_cards.get(status.id, QuoteCard(None))
    quoted = card.status
    state = "revoked" if card.detached else "muted_account" if card.muted else "accepted"
    is_named = quoted is not None and (is_shallow or quoted.author.uid in view.accounts)
    if not card.detached and not is_named:
        state, quoted = "unauthorized", None
    if is_shallow:
        return Quote(state=state, quoted_status_id=str(quoted.id) if quoted else None)
    return Quote(
        state=state, quoted_status=status_entity(quoted, view, is_quoted=True) if quoted else None
    )


def _named(entities: Sequence[Entity], view: View) -> Iterator[Entity]:
    """Yield entities, mentions with the login of their member: clients find them by address."""
    for one in entities:
        member = view.mentioned.get(one.text.lower()) if one.kind == "mention" else None
        yield one if member is None or member.login == one.text else replace(one, text=member.login)


def _mentions(status: Stored, view: View) -> list[Mention]:
    logins = (entity.text.lower() for entity in status.entities if entity.kind == "mention")
    members = [view.mentioned[login] for login in dict.fromkeys(logins) if login in view.mentioned]
    return [
        Mention(str(one.uid), one.login, one.login, f"{view.base}/@{one.login}") for one in members
    ]


def _tags(status: Stored, base: str) -> list[StatusTag]:
    names = (tag_name(one.text) for one in status.entities if one.kind == "hashtag")
    return [StatusTag(name, f"{base}/tags/{name}") for name in dict.fromkeys(names) if name]

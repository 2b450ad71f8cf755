"""Parts of a status: its poll, the card of its link, who may quote it, and hashtags."""

import time
from collections.abc import Sequence, Set
from typing import NamedTuple

import msgspec

from webapp.accounts.collections.featured_tags import featured
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.client_api.http import format_time, site_address
from webapp.core.store import Read, collect, constant, gather, read
from webapp.statuses import Status, ViewerState
from webapp.statuses.values.card import LinkCard
from webapp.statuses.values.poll import OPTIONS_MAX, includes_option
from webapp.timelines.tags.store import followed
from webapp.timelines.trends.keys import trend_day
from webapp.timelines.trends.ranking import WEEK_DAYS

from .account import QUOTABLE_BY

WIDTH, HEIGHT = 400, 300  # of our copy of a card's picture
DAY_SECONDS = 86_400
History = list[dict[str, str]]


class PollOption(msgspec.Struct, frozen=True):
    """An answer, and how often it was chosen."""

    title: str
    votes_count: int


class Poll(msgspec.Struct, kw_only=True):
    """A poll of a status. Its id is that of the status."""

    id: str
    expires_at: str | None
    expired: bool
    multiple: bool
    votes_count: int
    voters_count: int
    options: list[PollOption]
    voted: bool
    own_votes: list[int]
    emojis: list[str] = []


def poll_of(status: Status, state: ViewerState, viewer: int | None) -> Poll | None:
    """Return the poll of a status as a viewer sees it, None if it has none."""
    poll = status.poll
    if poll is None:
        return None
    tally = state.tally(status.id, status.tally) or (0,) * (OPTIONS_MAX + 1)
    vote = state.votes.get(status.id, 0)
    count = len(poll.options)
    return Poll(
        id=str(status.id),
        expires_at=format_time(poll.ends_at) if poll.ends_at else None,
        expired=poll.ends_at is not None and poll.ends_at.timestamp() <= time.time(),
        multiple=poll.multiple,
        votes_count=sum(tally[:count]),
        voters_count=tally[-1],
        options=[PollOption(title, tally[at]) for at, title in enumerate(poll.options)],
        voted=bool(vote) or viewer == status.author.uid,
        own_votes=[at for at in range(count) if includes_option(vote, at)],
    )


class PreviewCard(msgspec.Struct, kw_only=True):
    """The card of a linked page."""

    url: str
    title: str
    description: str
    provider_name: str
    width: int
    height: int
    image: str | None
    type: str = "link"
    author_name: str = ""
    author_url: str = ""
    provider_url: str = ""
    html: str = ""
    embed_url: str = ""
    blurhash: str | None = None
    language: str | None = None
    authors: list[str] = []


def preview_card(card: LinkCard, base: str) -> PreviewCard:
    """Return the card of a status. `base`: the address of the site."""
    return PreviewCard(
        url=card.url,
        title=card.title,
        description=card.description,
        provider_name=card.host,
        width=WIDTH if card.picture else 0,
        height=HEIGHT if card.picture else 0,
        image=f"{base}/media/{card.picture}.webp" if card.picture else None,
    )


class QuoteApproval(msgspec.Struct):
    """Who may quote a status. Nobody is asked. `current_user`: automatic, or denied."""

    automatic: list[str]
    manual: list[str]
    current_user: str


def quote_approval(status: Status, viewer: int | None, follows: Set[int]) -> QuoteApproval:
    """Return who may quote a status. `follows`: authors whom the viewer follows."""
    is_denied = (
        not viewer
        or not status.quotable_by(viewer)
        or (
            status.quote_policy is QuotePolicy.FOLLOWERS
            and status.author.uid != viewer
            and status.author.uid not in follows
        )
    )
    is_closed = status.visibility.restricted or status.quote_policy is QuotePolicy.NOBODY
    automatic = [] if is_closed else [QUOTABLE_BY[status.quote_policy]]
    return QuoteApproval(automatic, [], "denied" if is_denied else "automatic")


class OwnTags(NamedTuple):
    """The hashtags that a member follows, and those on the member's profile."""

    followed: Sequence[str]
    featured: Sequence[str]


class Tag(msgspec.Struct, kw_only=True):
    """A hashtag, and how much it was used on the last days."""

    id: str
    name: str
    url: str
    following: bool
    featuring: bool
    history: History = []


def tag_entity(name: str, own: OwnTags, history: Sequence[dict[str, str]] = ()) -> Tag:
    """Return a hashtag by its name, in lower case. `own`: hashtags of the caller."""
    return Tag(
        id=name,
        name=name,
        url=f"{site_address()}/tags/{name}",
        following=name in own.followed,
        featuring=name in own.featured,
        history=list(history),
    )


def own_tags(uid: int | None) -> Read[OwnTags]:
    """Read the hashtags that a member follows and features. Visitors have none."""
    if uid is None:
        return constant(OwnTags((), ()))
    return gather(followed(uid), featured(uid)).map(lambda found: OwnTags(*found))


def usage_history(item: str, members: int | None = None) -> Read[History]:
    """Read how many members used a hashtag or a link on each day of a week (UTC), today first.

    `item`: as trends name it. `members`: those of the past 24 hours, to stand for today's.
    """
    today = int(time.time()) // DAY_SECONDS
    days = range(today, today - WEEK_DAYS, -1)

    def parse(counts: list[int]) -> History:
        shown = [counts[0] if members is None else members, *counts[1:]]
        return [
            {"day": str(day * DAY_SECONDS), "accounts": str(count), "uses": str(count)}
            for day, count in zip(days, shown, strict=True)
        ]

    return collect(read(("PFCOUNT", trend_day(item, day)), int) for day in days).map(parse)

"""Showings of promotions to one reader: the one of a page, and whether they may see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from webapp.config import Config
from webapp.core.i18n.preferences import language
from webapp.core.rendering.feature_pages import has_feature
from webapp.core.store import Command, Read, gather, script
from webapp.core.store.caches.recording import changes_at
from webapp.core.web import config, cursor, db
from webapp.following.mutes.store import is_active
from webapp.statuses import Relationship, Status, ViewerState, Visibility
from webapp.statuses.boost_refs import zset_member
from webapp.statuses.promoted.promoted_post import NOBODY, Found, Promoted
from webapp.statuses.viewer.viewer_state import EMPTY_STATE
from webapp.timelines.home.status_cache import cached_statuses, recent_status

from . import reports
from .index import Index, index_of
from .ranking import NO_WORD, Ad, Choice, Ranking

READ_READER = script("rewards/promotions/lua/read_reader.lua")
POSTS_BETWEEN = 15  # two promoted posts, at least
REMEMBERED_MAX = 10_000  # readers whose refusals, and pages whose offers, a process remembers
NO_POSTS: frozenset[int] = frozenset()
NOTHING_BETWEEN = (None,) * 8  # what READ_READER finds of most readers
REMEMBERED_WINDOWS = 12  # an hour: a reader may have changed their mind since

# uid -> the hour, and the posts that the reader hid or may not see
_refused: dict[int, tuple[int, frozenset[int]]] = {}


@dataclass(slots=True)
class Offer:
    """A promotion on a page for a while, and the command that asks whether it may still be shown.

    `showing`: what the page sends back. `found`: of `status`, for a reader who did nothing with it.
    """

    window: int
    refused: frozenset[int]
    choice: Choice | None
    command: Command = ()
    showing: str = ""
    status: Status | None = None
    found: Found | None = None

    def still_runs(self, ranking: Ranking) -> bool:
        """Return True if its promotion is still in a ranking, with its terms and its version."""
        if self.choice is None:
            return False
        before, now = self.choice.ad, ranking.ads.get(self.choice.ad.id)
        return now is not None and (now.version, now.price) == (before.version, before.price)


def offer(uid: int, words: Sequence[str]) -> Read[Found | None]:
    """Read the promoted post of a member's page, with a command only if there is one.

    Its choice takes no trip. The member's choices, blocks and mutes decide once they are read.
    """
    page, settings = cursor(), config()
    if not has_feature("promotions") or (page and settings.page_size < POSTS_BETWEEN):
        return NOBODY
    index = index_of(db())
    changes, ranking = index.changes(), index.ranking
    shown = NOBODY
    if ranking.ads:
        made = _make(settings, ranking, uid, page, words) if words else None
        shown = _shown(settings, uid, made or _kept(settings, index, uid, page))
    if not changes.commands:
        return shown
    return gather(changes, shown).map(lambda found: found[1])


def _kept(settings: Config, index: Index, uid: int, page: int | None) -> Offer:
    """Return the offer of a page without words: the same for SAME_SECONDS while it may be shown.

    What a page with words is about is never kept.
    """
    key, refused = (uid, page, language().code), _refused_by(uid)
    made: Offer | None = index.offers.get(key)
    if (
        made is None
        or made.window != reports.present_window()
        or made.refused is not refused
        or not made.still_runs(index.ranking)
    ):
        if len(index.offers) >= REMEMBERED_MAX:
            index.offers.clear()
        made = index.offers[key] = _make(settings, index.ranking, uid, page, ())
    return made


def _present_hour() -> int:
    return reports.present_window() // REMEMBERED_WINDOWS


def _refused_by(uid: int) -> frozenset[int]:
    """Return the promoted posts that a reader refused this hour, as far as this process knows."""
    hour, refused = _refused.get(uid, (0, NO_POSTS))
    return refused if hour == _present_hour() else NO_POSTS


def _make(
    settings: Config, ranking: Ranking, uid: int, page: int | None, words: Sequence[str]
) -> Offer:
    window, refused = reports.present_window(), _refused_by(uid)
    chance = (hash((uid, window, page, *words)) & 0xFFFFFFFF) / 2**32
    choice = ranking.choose(
        language().code, words, lambda ad: ad.uid == uid or ad.id in refused, chance
    )
    if choice is None:
        return Offer(window, refused, None)
    ad = choice.ad
    command = READ_READER(uid=uid, id=ad.id, author=ad.uid, boost=zset_member(ad.id, ad.uid))
    details = f"{choice.charge} {choice.word}"
    showing = reports.showing_of(settings, uid, ad.id, window, details)
    return Offer(window, refused, choice, command, showing)


def _shown(settings: Config, uid: int, made: Offer) -> Read[Found | None]:
    if made.choice is None:
        return NOBODY
    ad, max_age = made.choice.ad, settings.status_seconds
    if status := recent_status(db(), ad.id, max_age):
        return Read((made.command,), lambda replies: _judge(uid, made, status, replies[0]))
    post = cached_statuses(db(), [(ad.id, ad.uid)], uid, max_age, ())
    return gather(post, Read((made.command,), itemgetter(0))).map(
        lambda found: _judge(uid, made, found[0][0], found[1])
    )


def _judge(uid: int, made: Offer, status: Status | None, reply: list[Any] | None) -> Found | None:
    """Return the promoted post if the reader may see it, and remember it if not."""
    if reply is None and status is not None and status is made.status:
        return made.found
    assert made.choice
    hidden, blocks, blocked_by, mute, *own = reply or NOTHING_BETWEEN
    choice, ad = made.choice, made.choice.ad

    def author_if(flag: object) -> frozenset[int]:
        return frozenset({ad.uid} if flag else ())

    relationship = Relationship(
        uid,
        blocks=author_if(blocks is not None),
        blocked_by=author_if(blocked_by is not None),
        mutes=author_if(mute is not None and is_active(mute)),
    )
    if hidden or not _may_show(relationship, ad, status):
        if len(_refused) >= REMEMBERED_MAX:
            _refused.clear()
        _refused[uid] = _present_hour(), _refused_by(uid) | {ad.id}
        changes_at(0)  # the next page gets another one
        return None
    assert status is not None
    word = "" if choice.word == NO_WORD else choice.word
    promoted = Promoted(status.id, status.author, status, word, ad.language, made.showing)
    found = promoted, _state_of(ad.id, own)
    if reply is None:
        made.found, made.status = found, status  # in this order: another thread may look
    return found


def _may_show(relationship: Relationship, ad: Ad, status: Status | None) -> bool:
    """Return True for a public post, as it was reviewed, that timelines show the reader."""
    return (
        status is not None
        and status.version == ad.version
        and status.visibility is Visibility.PUBLIC
        and not status.author.limited
        and relationship.is_visible_in_timelines(status)
    )


def _state_of(status_id: int, own: Sequence[Any]) -> ViewerState:
    if own.count(None) == len(own):  # as most readers'
        return EMPTY_STATE
    *acts, vote = own
    liked, bookmarked, boosted = (frozenset({status_id} if one is not None else ()) for one in acts)
    return ViewerState(liked, bookmarked, boosted, votes={status_id: int(vote)} if vote else {})

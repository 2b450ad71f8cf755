"""What one reader is shown: the promotion of a page, signed, so that only its reader reports it."""

from __future__ import annotations

import time
from base64 import urlsafe_b64encode
from collections.abc import Sequence
from functools import partial
from hashlib import blake2b, sha256
from hmac import compare_digest, digest
from typing import Any

from webapp.config import Config
from webapp.core.i18n.preferences import language
from webapp.core.rendering.feature_pages import has_feature
from webapp.core.store.reads import Command, Read, gather, read
from webapp.core.store.scripts import script
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.following.mutes.mute import is_active
from webapp.statuses.boost_refs import zset_member
from webapp.statuses.promoted.promoted_post import NOBODY, Found, Promoted
from webapp.statuses.status import Status
from webapp.statuses.values.visibility import Visibility
from webapp.statuses.viewer.viewer_state import EMPTY_STATE, ViewerState
from webapp.statuses.visibility.policy import Relationship
from webapp.timelines.home.status_cache import cached_statuses

from .index import index_of
from .ranking import NO_WORD, Ad, Choice

READ_READER = script("rewards/promotions/lua/read_reader.lua")
COUNT = script("rewards/promotions/lua/count.lua")
POSTS_BETWEEN = 15  # two promoted posts, at least
SAME_SECONDS = 300  # for which a page of a reader keeps its promotion, so that it can be kept
WINDOWS_VALID = 12  # of SAME_SECONDS, in which a page may report what it shows
SIGNATURE_SIZE = 22  # characters, 132 bits
REMEMBERED_MAX = 10_000  # readers whose refusals a process remembers

_refused: dict[int, frozenset[int]] = {}  # uid -> posts that the reader hid or may not see


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
        refused = _refused.get(uid, frozenset())
        chance = (hash((uid, _window(), page, *words)) & 0xFFFFFFFF) / 2**32
        choice = ranking.choose(
            language().code, words, lambda ad: ad.uid == uid or ad.id in refused, chance
        )
        shown = _shown(settings, uid, choice) if choice else NOBODY
    if not changes.commands:
        return shown
    return gather(changes, shown).map(lambda found: found[1])


def _shown(settings: Config, uid: int, choice: Choice) -> Read[Found | None]:
    ad = choice.ad
    reader = READ_READER(uid=uid, id=ad.id, author=ad.uid, boost=zset_member(ad.id, ad.uid))
    post = cached_statuses(db(), [(ad.id, ad.uid)], uid, settings.status_seconds, ())
    return gather(post, read(reader, list)).map(partial(_judge, settings, uid, choice))


def _judge(
    settings: Config, uid: int, choice: Choice, found: tuple[list[Status | None], list[Any]]
) -> Found | None:
    """Return the promoted post if the reader may see it, and remember it if not."""
    [status], (hidden, blocks, blocked_by, mute, *own) = found
    ad = choice.ad

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
        _refused[uid] = _refused.get(uid, frozenset()) | {ad.id}
        return None
    assert status is not None
    return _build(settings, uid, choice, status), _state_of(ad.id, own)


def _may_show(relationship: Relationship, ad: Ad, status: Status | None) -> bool:
    """Return True for a public post, as it was reviewed, that timelines show the reader."""
    return (
        status is not None
        and status.version == ad.version
        and status.visibility is Visibility.PUBLIC
        and not status.author.limited
        and relationship.is_visible_in_timelines(status)
    )


def _build(settings: Config, uid: int, choice: Choice, status: Status) -> Promoted:
    word = "" if choice.word == NO_WORD else choice.word
    payload = f"{status.id} {_window()} {choice.charge} {choice.word}"
    showing = f"{_sign(settings, uid, payload)} {payload}"
    return Promoted(status.id, status.author, status, word, choice.ad.language, showing)


def _state_of(status_id: int, own: Sequence[Any]) -> ViewerState:
    if own.count(None) == len(own):  # as most readers'
        return EMPTY_STATE
    *acts, vote = own
    liked, bookmarked, boosted = (frozenset({status_id} if one is not None else ()) for one in acts)
    return ViewerState(liked, bookmarked, boosted, votes={status_id: int(vote)} if vote else {})


def view_of(settings: Config, uid: int, showing: str) -> Command | None:
    """Return the command that counts what a page reports as seen.

    None if it was not shown to this reader, or too long ago.
    """
    signature, _, payload = showing.partition(" ")
    if not compare_digest(signature.encode(), _sign(settings, uid, payload).encode()):
        return None
    status_id, window, details = payload.split(" ", 2)
    if int(window) < _window() - WINDOWS_VALID:
        return None
    return counting(settings, uid, int(status_id), "views", details)


def counting(settings: Config, uid: int, status_id: int, what: str, details: str = "") -> Command:
    """Return the command that counts views, clicks or actions of a reader."""
    viewer = blake2b(
        f"{uid} {status_id}".encode(),
        key=settings.secret_key.encode()[:64],
        digest_size=12,
        person=b"linnet promoted",
    ).hexdigest()
    return COUNT(id=status_id, viewer=viewer, what=what, details=details)


def _sign(settings: Config, uid: int, payload: str) -> str:
    message = f"linnet showing {uid} {payload}".encode()
    code = digest(settings.secret_key.encode(), message, sha256)
    return urlsafe_b64encode(code)[:SIGNATURE_SIZE].decode()


def _window() -> int:
    """Return the present span of SAME_SECONDS."""
    return int(time.time() // SAME_SECONDS)

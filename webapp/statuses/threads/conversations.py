"""Mute and unmute conversations: a member is no longer notified about any of their posts.

It is private, as a mute of a member is. A conversation is all posts with the same first post.
"""

from __future__ import annotations

from collections.abc import Iterable

from webapp.accounts.collections.collection import Collection
from webapp.core.store import Read, Site, constant, listed_in, read
from webapp.statuses import keys as status_keys
from webapp.statuses.status import Status
from webapp.statuses.visibility.targets import load_target

from . import keys
from .replies import conversation_of, unpack_path

MUTED_CONVERSATIONS_MAX = 1_000  # of one member
MUTED_CONVERSATIONS = Collection(
    keys.muted_conversations, bound=lambda _config: MUTED_CONVERSATIONS_MAX
)


def mute(site: Site, uid: int, status_id: int) -> None:
    """Mute the conversation of a status. Doing it again changes nothing. Three trips.

    At MUTED_CONVERSATIONS_MAX, the one that was muted first is unmuted. Raises NotFound; Forbidden
    if the author or the member is suspended, or one blocks the other.
    """
    conversation = _load_conversation(site, uid, status_id)
    site.db.run(MUTED_CONVERSATIONS.add(site.config, uid, conversation))


def unmute(site: Site, uid: int, status_id: int) -> None:
    """Unmute the conversation of a status, if it is muted. Three trips. Raises as `mute`."""
    conversation = _load_conversation(site, uid, status_id)
    site.db.run(MUTED_CONVERSATIONS.remove(site.config, uid, conversation))


def is_muted(viewer: int | None, conversation: int) -> Read[bool]:
    """Read whether a viewer (None: a visitor) has muted the conversation with this first post."""
    if viewer is None:
        return constant(False)
    return read(("ZSCORE", keys.muted_conversations(viewer), conversation), bool)


def muted_among(viewer: int | None, statuses: Iterable[Status]) -> Read[frozenset[int]]:
    """Read which conversations of statuses a viewer (None: a visitor) has muted."""
    if viewer is None:
        return constant(frozenset())
    conversations = dict.fromkeys(status.conversation for status in statuses)
    return listed_in(keys.muted_conversations(viewer), conversations).map(frozenset)


def stored_conversation(status_id: int) -> Read[int]:
    """Read the id of the first post of a status's conversation, its own if it is gone."""

    def parse(fields: list[str | None]) -> int:
        path, root = fields
        return conversation_of((*unpack_path(path), (status_id, 0)), root)

    return read(("HMGET", status_keys.status(status_id), "ancestors", "root"), parse)


def _load_conversation(site: Site, uid: int, status_id: int) -> int:
    """Return the id of the first post of a status's conversation. Two trips."""
    target = load_target(site.db, uid, status_id, "not_for_you")
    path = (*unpack_path(target.ancestor_path), (status_id, target.author.uid))
    return conversation_of(path, target.stored_root)

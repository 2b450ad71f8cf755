"""The authors whose statuses a reader is not sent."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from webapp.core.store.reads import Read, constant, gather, read
from webapp.following import keys as following_keys
from webapp.lists import keys as list_keys
from webapp.statuses.visibility import relationships
from webapp.streaming.hub.followed_topics import Home
from webapp.streaming.hub.page_topics import Chats
from webapp.streaming.hub.topics import Topic

HiddenUntil = Mapping[int, float]  # author's uid → until when, unix seconds


def hidden_authors(uid: int, topic: Topic) -> Read[HiddenUntil]:
    """Read whose statuses a member is not sent of a topic; `uid` is 0 for a visitor."""
    if not uid or isinstance(topic, Chats):
        return constant({})
    return gather(_blocked_or_muted(uid, topic), _excluded(uid, topic)).map(
        lambda found: {**found[0], **found[1]}
    )


def _blocked_or_muted(uid: int, topic: Topic) -> Read[HiddenUntil]:
    if not topic.shows_muted:
        return relationships.hidden_authors(uid, topic.requested_authors)
    blocks = _hidden_for_good(following_keys.blocks(uid))
    blocked_by = _hidden_for_good(following_keys.blockers(uid))
    return gather(blocks, blocked_by).map(lambda found: {**found[0], **found[1]})


def _excluded(uid: int, topic: Topic) -> Read[HiddenUntil]:
    """Read the authors on lists that the member keeps out of their home."""
    if not isinstance(topic, Home):
        return constant({})
    return _hidden_for_good(list_keys.home_excluded(uid))


def _hidden_for_good(key: str) -> Read[HiddenUntil]:
    """Read the authors in a sorted set."""
    return read(("ZRANGE", key, 0, -1), lambda uids: dict.fromkeys(map(int, uids), inf))

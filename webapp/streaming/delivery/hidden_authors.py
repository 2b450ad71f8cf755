"""The authors whose statuses a reader is not sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from webapp.core.store.reads import Read, constant, gather, read
from webapp.lists import keys as list_keys
from webapp.statuses.visibility.relationships import hidden_commands, hidden_from
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
    def parse(replies: Sequence[Any]) -> HiddenUntil:
        blocks, blocked_by, mutes = replies
        shown_mutes = () if topic.shows_muted else mutes
        return hidden_from((blocks, blocked_by, shown_mutes), topic.requested_authors)

    return Read(tuple(hidden_commands(uid)), parse)


def _excluded(uid: int, topic: Topic) -> Read[HiddenUntil]:
    """Read the authors on lists that the member keeps out of their home."""
    if not isinstance(topic, Home):
        return constant({})
    command = ("ZRANGE", list_keys.home_excluded(uid), 0, -1)
    return read(command, lambda uids: dict.fromkeys(map(int, uids), inf))

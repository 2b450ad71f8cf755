"""The authors whose statuses a reader is not sent.

Blocks and mutes of one's own have limits. Blockers have none, so the store is asked
only about authors whose messages arrive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf

from webapp.core.store import Read, constant, gather, listed_in, read
from webapp.following import keys as following_keys
from webapp.statuses.visibility import relationships
from webapp.streaming.hub.followed_topics import Followed, Home
from webapp.streaming.hub.page_topics import Nothing
from webapp.streaming.hub.topics import Topic
from webapp.streaming.log.messages import Message, boosts_by
from webapp.timelines import keys as timeline_keys
from webapp.timelines.home.kinds import ALL_KINDS, HomeKinds, home_kinds

BLOCKERS_MAX = 1_000  # members with more blockers have these looked up
LOOKED_UP_MAX = 10_000  # authors who were looked up, until they are forgotten
# An author's uid, or `boosts_by` it if only the boosts are hidden → until when, unix seconds
HiddenUntil = Mapping[int, float]


@dataclass(slots=True)
class HiddenAuthors:
    """The authors hidden from one reader. `viewer`: 0 if all blockers are in `until`.

    `kinds`: the kinds of statuses that a home leaves out.
    """

    until: dict[int, float] = field(default_factory=dict)
    viewer: int = 0
    kinds: HomeKinds = ALL_KINDS
    _looked_up: set[int] = field(default_factory=set)

    def unknown_authors(self, messages: Iterable[Message]) -> list[int]:
        """Return the authors on messages who may or may not block the reader."""
        if not self.viewer:
            return []
        authors = set[int]().union(*(message.shown_authors for message in messages))
        unknown = authors - self._looked_up - {self.viewer}
        return sorted(uid for uid in unknown if self.until.get(uid) != inf)  # a mute may end

    def shows(self, message: Message) -> bool:
        """Return True if the reader is sent a message."""
        is_shown = True
        if message.kind == "boost":
            is_shown = self.kinds.shows_boost(message.author)
        elif message.kind == "update":
            is_shown = self.kinds.shows_post(message.author, message.reply_to)
        return is_shown and message.deliverable_to(self.until)

    def look_up(self, authors: list[int]) -> Read[None]:
        """Read which of these authors block the reader, and remember it."""

        def remember(blockers: list[int]) -> None:
            if len(self._looked_up) > LOOKED_UP_MAX:
                self._looked_up.clear()
            self._looked_up.update(authors)
            self.until.update(dict.fromkeys(blockers, inf))

        return listed_in(following_keys.blockers(self.viewer), authors).map(remember)


def hidden_authors(uid: int, topic: Topic) -> Read[HiddenAuthors]:
    """Read the authors whom a member's stream of a topic leaves out; `uid` is 0 for a visitor."""
    if not uid or isinstance(topic, Nothing):
        return constant(HiddenAuthors())

    def build(
        found: tuple[HiddenUntil, list[int], HiddenUntil, HiddenUntil, HomeKinds],
    ) -> HiddenAuthors:
        hidden, blockers, excluded, boosts, kinds = found
        until = {**hidden, **dict.fromkeys(blockers[:BLOCKERS_MAX], inf), **excluded, **boosts}
        return HiddenAuthors(until, uid if len(blockers) > BLOCKERS_MAX else 0, kinds)

    return gather(
        _hidden_by_reader(uid, topic),
        _blockers(uid),
        _excluded(uid, topic),
        _hidden_boosts(uid, topic),
        home_kinds(uid) if isinstance(topic, Home) else constant(ALL_KINDS),
    ).map(build)


def _hidden_by_reader(uid: int, topic: Topic) -> Read[HiddenUntil]:
    """Read the authors that the reader blocks or mutes, at most BLOCKS_MAX and MUTES_MAX."""
    if not topic.shows_muted:
        return relationships.hidden_by(uid, topic.requested_authors)
    return _hidden_for_good(following_keys.blocks(uid))


def _blockers(uid: int) -> Read[list[int]]:
    """Read the newest blockers of a member, one more than BLOCKERS_MAX if there are so many."""
    newest = ("ZRANGE", following_keys.blockers(uid), 0, BLOCKERS_MAX, "REV")
    return read(newest, lambda uids: list(map(int, uids)))


def _excluded(uid: int, topic: Topic) -> Read[HiddenUntil]:
    """Read the authors on lists that the member keeps out of their home: 50 lists of 500."""
    if not isinstance(topic, Home):
        return constant({})
    return _hidden_for_good(timeline_keys.home_excluded(uid))


def _hidden_boosts(uid: int, topic: Topic) -> Read[HiddenUntil]:
    """Read the boosters that the member hides in homes and lists, at most HIDDEN_BOOSTS_MAX."""
    if not isinstance(topic, Followed):
        return constant({})
    return _hidden_for_good(following_keys.hidden_boosts(uid)).map(
        lambda found: {boosts_by(booster): until for booster, until in found.items()}
    )


def _hidden_for_good(key: str) -> Read[HiddenUntil]:
    """Read the authors in a sorted set that has a bound."""
    return read(("ZRANGE", key, 0, -1), lambda uids: dict.fromkeys(map(int, uids), inf))

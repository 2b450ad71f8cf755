"""Entries of the log, as they are stored."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from webapp.statuses import BoostRef, Entry

from .position import LogPosition

BOOST_EVENTS = {"boosted", "unboosted"}
CONTENT_EVENTS = {"posted", "edited"}
POLL_EVENTS = {"voted", "poll_ended"}  # after them a poll shows other numbers
COUNT_EVENTS = {"counted"}  # a status has other counts
CARD_EVENTS = {"card_changed"}  # after them a post shows another link card, or none
# Their messages depend on the status as it is now.
HYDRATED_EVENTS = CONTENT_EVENTS | POLL_EVENTS | CARD_EVENTS | {"boosted"}
ACCOUNT_EVENTS = {"suspended", "protected", "account_deleted", "locations_removed"}
# The events that become messages about an author. "unfollowed" becomes one for a single member.
STREAMED_EVENTS = (
    HYDRATED_EVENTS | BOOST_EVENTS | COUNT_EVENTS | ACCOUNT_EVENTS | {"deleted", "unfollowed"}
)


class LogEntry(NamedTuple):
    """One entry of the log: its position and the fields of its event."""

    position: LogPosition
    event: Mapping[str, str]

    @property
    def type(self) -> str:
        """Return the type of the event."""
        return self.event["type"]

    @property
    def author(self) -> int:
        """Return the uid whose statuses or boosts a message about this shows; 0 for no message."""
        if self.type not in STREAMED_EVENTS:
            return 0
        if self.recipient:
            return int(self.event["target"])
        if self.type in BOOST_EVENTS:
            return int(self.event["uid"])
        return int(self.event.get("author") or self.event["uid"])

    @property
    def recipient(self) -> int:
        """Return the one member whose pages a message about this is for; 0 for all readers."""
        return int(self.event["uid"]) if self.type == "unfollowed" else 0

    @property
    def status_id(self) -> int:
        """Return the id of the event's status or boost; 0 if it has none."""
        return int(self.event.get("id", 0))

    @property
    def boost(self) -> BoostRef:
        """Return the boost of an event of BOOST_EVENTS."""
        return BoostRef(*(int(self.event[name]) for name in ("id", "uid", "status", "author")))

    @property
    def shown_status(self) -> Entry:
        """Return the status that a message about this shows: its id and its author's uid."""
        name = "status" if self.type in BOOST_EVENTS else "id"
        return int(self.event[name]), int(self.event["author"])

    @property
    def ancestors(self) -> tuple[int, ...]:
        """Return the ids of the statuses that the event's status replies to, from the top."""
        return tuple(map(int, self.event.get("ancestors", "").split()))

    @property
    def is_public(self) -> bool:
        """Return True if everybody may know that something happened."""
        return self.type in STREAMED_EVENTS and not self.is_restricted and not self.recipient

    @property
    def is_restricted(self) -> bool:
        """Return True if its status was not for everybody, so that the entry holds numbers only."""
        return "restricted" in self.event


def parse_entries(reply: Sequence[Any]) -> list[LogEntry]:
    """Parse a reply to XRANGE, or one stream's part of a reply to XREAD."""
    return [
        LogEntry(LogPosition.parse(log_id), dict(zip(fields[::2], fields[1::2], strict=True)))
        for log_id, fields in reply
    ]

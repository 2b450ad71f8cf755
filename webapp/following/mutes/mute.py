"""A mute: until when it lasts, and whether it is still active."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

DAY = 86_400  # seconds
FOREVER = 36_500 * DAY  # seconds: until unmuted
FOREVER_THRESHOLD = FOREVER // 2  # seconds: a mute with more left than this was FOREVER


@dataclass(frozen=True, slots=True)
class Mute:
    """Somebody is muted. `until` is in unix seconds."""

    until: int
    hide_notifications: bool

    @property
    def remaining(self) -> timedelta | None:
        """Return how long the mute lasts, None if until unmuted."""
        seconds = max(self.until - int(time.time()), 0)
        return timedelta(seconds=seconds) if seconds < FOREVER_THRESHOLD else None


def active_mute(until: str | None, notifications_until: str | None) -> Mute | None:
    """Return the mute with these scores in the two lists, None if there is none or it is over."""
    if not until or not is_active(until):
        return None
    return Mute(int(float(until)), hide_notifications=notifications_until is not None)


def is_active(until: str | float) -> bool:
    """Return True if a score of a list of mutes is in the future."""
    return float(until) > time.time()

"""Positions in the log."""

from __future__ import annotations

from typing import NamedTuple

SEQUENCE_MAX = 2**63 - 1


class LogPosition(NamedTuple):
    """The id of a log entry. Positions compare as the log orders its entries."""

    ms: int  # unix ms
    sequence: int

    def __str__(self) -> str:
        """Return the position as the store and clients write it: `ms-sequence`."""
        return f"{self.ms}-{self.sequence}"

    @classmethod
    def parse(cls, log_id: str) -> LogPosition:
        """Parse `ms-sequence`. Raises ValueError."""
        ms, _, sequence = log_id.partition("-")
        return cls(int(ms), int(sequence or 0))

    def previous(self) -> LogPosition:
        """Return the greatest position before this one; the start of the log has none before it."""
        if self.sequence:
            return LogPosition(self.ms, self.sequence - 1)
        return LogPosition(self.ms - 1, SEQUENCE_MAX) if self.ms else LOG_START


LOG_START = LogPosition(0, 0)  # before every entry

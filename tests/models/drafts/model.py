"""Drafts as they must be: their fields, when they are published, and the last error."""

from dataclasses import dataclass
from typing import Any

from webapp.statuses.compose.new_status import StatusOptions

INVALID_VISIBILITY = "nobody knows"
DraftKey = tuple[int, str]  # the owner and the form key
Fingerprint = tuple[Any, ...]  # the fields that make a draft another post of the same form
StoredFields = tuple[str, ...]  # those of a status


@dataclass
class DraftRecord:
    """A draft. `hours` is the time until publication; `error_code` is the last error.

    `saved_ms`: when it was saved, as stored; `reviewed`: a moderator has published it.
    """

    text: str
    options: StatusOptions
    is_invalid: bool
    hours: int | None
    error_code: str = ""
    saved_ms: str = ""
    reviewed: bool = False

    @property
    def is_due(self) -> bool:
        """True from the time of publication on."""
        return self.hours is not None and self.hours < 0

    @property
    def is_autosaved(self) -> bool:
        """True if what its author types is saved by itself."""
        return self.hours is None and self.error_code not in ("in_review", "withheld")

    @property
    def fields(self) -> dict[str, str]:
        """The fields of its form."""
        fields = {
            "text": self.text,
            "reply": str(self.options.get("reply") or ""),
            "quote": str(self.options.get("quote") or ""),
            "visibility": self._visibility_field(),
            "reply_policy": self.options["reply_policy"].slug,
            "quote_policy": self.options["quote_policy"].slug,
            **self._poll_fields(),
        }
        return {name: value for name, value in fields.items() if value}

    def _visibility_field(self) -> str:
        if self.is_invalid:
            return INVALID_VISIBILITY
        visibility = self.options.get("visibility")
        return visibility.slug if visibility else ""

    def _poll_fields(self) -> dict[str, str]:
        poll = self.options.get("poll")
        if not poll:
            return {}
        option1, option2 = poll.options
        return {"option1": option1, "option2": option2, "poll_minutes": "60"}

"""The further posts of a form that writes a thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from webapp.core.text.parser import Parsed, is_blank

PARTS_MAX: Final = 9  # posts of a thread besides the first
FIELD_NAMES: Final = tuple(f"more{number}" for number in range(1, PARTS_MAX + 1))


@dataclass(slots=True)
class ThreadPart:
    """A further post. Once valid, `parsed` holds its text."""

    number: int  # from 2, without gaps
    text: str = ""
    sent_as: str = ""  # the name of the field that it came from
    errors: list[str] = field(default_factory=list)
    parsed: Parsed | None = None

    @property
    def name(self) -> str:
        """Return the name of its field in the form."""
        return FIELD_NAMES[self.number - 2]


def thread_parts(fields: Mapping[str, Any]) -> list[ThreadPart]:
    """Return the further posts of a form's fields, without those that are empty."""
    texts = {name: text for name in FIELD_NAMES if not is_blank(text := fields.get(name) or "")}
    return [ThreadPart(number, text, name) for number, (name, text) in enumerate(texts.items(), 2)]

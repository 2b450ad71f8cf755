"""The acts on a member, with appeals and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from webapp.accounts.member import datetime_from_ms
from webapp.core.store import Read, collect, read

from . import keys
from .acts import ACTS, Act

KEPT = timedelta(days=30)  # that a suspended account is kept
FIELDS = ("kind", "by", "why", "post", "draft", "text")
PARTS = ("", ":answer", ":appeal")


@dataclass(frozen=True, slots=True)
class ActEntry:
    """An act on a member. `post`: 0 if it is about none. `draft`: when a draft was saved, else 0.

    `appeal`: its text, "" without one. `answer`: "granted" if the act was taken back, "kept" if an
    appeal was refused, "" otherwise; `answered_by` is a uid, 0 without an answer.
    """

    number: int
    kind: str
    by: int
    at: datetime
    why: str
    post: int = 0
    draft: int = 0
    text: str = ""
    appeal: str = ""
    answer: str = ""
    answered_by: int = 0
    answered_at: datetime | None = None

    @property
    def act(self) -> Act:
        """Return the row of its kind."""
        return ACTS[self.kind]

    @property
    def stands(self) -> bool:
        """Return True unless it was taken back."""
        return self.answer != "granted"

    @property
    def may_appeal(self) -> bool:
        """Return True if the member may appeal: once, while the decision is in force."""
        return bool(self.act.told) and not self.appeal and not self.answer

    @property
    def is_appealed(self) -> bool:
        """Return True while an appeal waits for its answer."""
        return bool(self.appeal) and not self.answer

    @property
    def deleted_at(self) -> datetime | None:
        """Return when a suspended account is deleted. An appeal that waits puts it off."""
        return self.at + KEPT if self.kind == "suspend" else None


def acts_on(uid: int) -> Read[list[ActEntry]]:
    """Read all acts on a member, newest first."""

    def parse(flat: Sequence[str]) -> list[ActEntry]:
        stored = dict(zip(flat[::2], flat[1::2], strict=True))
        numbers = sorted((int(name) for name in stored if name.isdigit()), reverse=True)
        entries = (_build(one, [stored.get(f"{one}{part}") for part in PARTS]) for one in numbers)
        return [entry for entry in entries if entry]

    return read(("HGETALL", keys.acts(uid)), parse)


def entry_of(uid: int, number: int) -> Read[ActEntry | None]:
    """Read one act, None if it is not there."""
    command = ("HMGET", keys.acts(uid), *(f"{number}{part}" for part in PARTS))
    return read(command, lambda stored: _build(number, stored))


def entries_of(names: Iterable[str]) -> Read[list[tuple[int, ActEntry]]]:
    """Read acts by name, `uid.number`, each with its member's uid. Others are left out."""
    pairs = [(int(uid), int(number)) for uid, number in (name.split(".")[:2] for name in names)]

    def join(found: Sequence[ActEntry | None]) -> list[tuple[int, ActEntry]]:
        both = zip(pairs, found, strict=True)
        return [(uid, entry) for (uid, _number), entry in both if entry]

    return collect(entry_of(*pair) for pair in pairs).map(join)


def _build(number: int, stored: Sequence[str | None]) -> ActEntry | None:
    entry, answer, appeal = (orjson.loads(part) if part else {} for part in stored)
    if entry.get("kind") not in ACTS:
        return None
    return ActEntry(
        number=number,
        at=datetime_from_ms(str(entry["at"])),
        appeal=appeal.get("text", ""),
        **{name: entry[name] for name in FIELDS if name in entry},
        **_answer_fields(answer),
    )


def _answer_fields(answer: Mapping[str, Any]) -> dict[str, Any]:
    if not answer:
        return {}
    return {
        "answer": "granted" if answer["granted"] else "kept",
        "answered_by": answer["by"],
        "answered_at": datetime_from_ms(str(answer["at"])),
    }

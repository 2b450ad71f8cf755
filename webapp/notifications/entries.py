"""Entries of a member's list, and how they are grouped."""

from collections.abc import Iterable
from typing import NamedTuple

from .kinds import KINDS, Kind

DAY_MICROSECONDS = 86_400_000_000


class Entry(NamedTuple):
    """One notification, created at unix µs; `text` is how it is stored.

    `subject` is the id of a status, or 0. `chat_message` is `cid.message`, or empty. `own` depends
    on the kind, and is empty where the others name the subject:

    - of a draft `form key:when it was saved`, of a bot's webhook `uid:when it failed`
    - of a sale an entry of `trades`, of a promotion `post:event:act`
    - of a log-in `country:event`, of a group its number, of a job offer the days since 1970
    """

    text: str
    kind: Kind
    actor: int
    subject: int
    chat_message: str
    created_us: int
    own: str = ""


def parse_entry(text: str, created_us: str) -> Entry | None:
    """Return the entry, None if its kind was written by a newer version."""
    name, actor, subject = text.split(":", 2)
    kind = KINDS.get(name)
    if kind is None:
        return None
    is_own = bool(kind.about_own) or kind.about_group
    is_message = "." in subject and not is_own
    is_status = not is_message and not is_own
    return Entry(
        text=text,
        kind=kind,
        actor=int(actor),
        subject=int(subject) if is_status else 0,
        chat_message=subject if is_message else "",
        created_us=int(created_us),
        own=subject if is_own else "",
    )


def group_entries(entries: Iterable[Entry]) -> list[list[Entry]]:
    """Group entries (newest first) of a kind by subject, otherwise by day (UTC)."""
    groups: dict[tuple[str, int | str], list[Entry]] = {}
    for entry in entries:
        day = -(entry.created_us // DAY_MICROSECONDS)  # negative: no status has such an id
        subject = entry.subject or entry.chat_message or entry.own or day
        groups.setdefault((entry.kind.name, subject), []).append(entry)
    return list(groups.values())

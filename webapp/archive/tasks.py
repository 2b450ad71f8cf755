"""Tasks about a member's own data, which workers do in slices: an archive, an import.

The store keeps how far a task is, so another worker continues there after a crash. A slice may be
done twice, so it must be safe to repeat.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import orjson

from webapp.core.errors import LeaseLost
from webapp.core.store import Db, Read, Site, read, script

from . import keys

START = script("archive/lua/start.lua")
CLAIM = script("archive/lua/claim.lua")
SAVE = script("archive/lua/save.lua")
ARCHIVE, IMPORT, POSTS = KINDS = ("archive", "import", "posts")
UNDO = "undo"  # the subject of a task that takes an import back
DAY_MS = 86_400_000
PAUSE_MS = {ARCHIVE: DAY_MS, IMPORT: 0, POSTS: 0}  # between two tasks of a kind
KEPT_DAYS = 7  # after its end
IMPORTS_MAX = 10  # of posts, which can be taken back
LEASE_MS = 60_000  # longer than a slice takes


@dataclass(frozen=True, slots=True)
class Task:
    """A task. Its files have `token` in their names, which nobody can guess.

    `subject`: the slug of an imported table, or "undo". `position`: where the next slice begins.
    `done` of `total` parts are finished, and `skipped` rows did not fit. `size`: bytes of the
    result. `ended_at`: unix ms, 0 before. `failed`: it ended without a result. `earlier`: the
    imports of posts before it that can be taken back.
    """

    kind: str
    token: str
    site_url: str  # without a slash at its end
    locale: str
    subject: str = ""
    position: str = ""
    done: int = 0
    total: int = 0
    skipped: int = 0
    size: int = 0
    ended_at: int = 0
    failed: bool = False
    earlier: tuple[Task, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Return True if it has ended with a result."""
        return bool(self.ended_at) and not self.failed

    @property
    def expires(self) -> datetime:
        """Return when the result of a finished task goes, in UTC."""
        return datetime.fromtimestamp(self.ended_at / 1000, UTC) + timedelta(days=KEPT_DAYS)

    @property
    def removable(self) -> tuple[Task, ...]:
        """Return the finished imports of posts that can be taken back, the newest first."""
        own = (replace(self, earlier=()),) if self.done and self.subject != UNDO else ()
        now = datetime.now(UTC)
        return tuple(one for one in (*own, *self.earlier) if one.expires > now)[:IMPORTS_MAX]

    def end(self, **changes: Any) -> Task:
        """Return the finished task."""
        return replace(self, ended_at=int(time.time() * 1000), **changes)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claimed task of a member. `tries`: how often it was claimed since it last got on."""

    uid: int
    lease_expires: str  # unix ms
    task: Task
    tries: int


def new_task(kind: str, site_url: str, locale: str, subject: str = "", total: int = 0) -> Task:
    """Return a task that is not started yet."""
    return Task(kind, secrets.token_hex(16), site_url, locale, subject, total=total)


def start(site: Site, uid: int, task: Task) -> None:
    """Start a task, in place of the member's last one of its kind. One trip.

    Raises NotFound, Forbidden (suspended), Conflict (one is not finished, or was started lately).
    """
    site.run(START, uid=uid, kind=task.kind, task=_dump(task), pause=PAUSE_MS[task.kind])


def tasks_of(uid: int) -> Read[dict[str, Task]]:
    """Read a member's last tasks, by kind, without those whose results are gone."""

    def parse(stored: Sequence[str | None]) -> dict[str, Task]:
        found = (_load(one) for one in stored if one)
        now = datetime.now(UTC)
        return {one.kind: one for one in found if not one.ended_at or one.expires > now}

    return read(("HMGET", keys.data_tasks(uid), *KINDS), parse)


def next_archive_at(uid: int) -> Read[datetime]:
    """Read when a member may make the next archive."""

    def parse(started: str | None) -> datetime:
        ms = int(started or 0) + PAUSE_MS[ARCHIVE]
        return datetime.fromtimestamp(ms / 1000, UTC)

    return read(("HGET", keys.data_tasks(uid), f"{ARCHIVE}:at"), parse)


def claim(db: Db, partition: int, skipped_uids: Sequence[int]) -> list[Claim]:
    """Claim a due task of a partition, of none of these members. One trip."""
    row = db.run(CLAIM(partition=partition, lease=LEASE_MS, skipped=skipped_uids))
    if not row:
        return []
    uid, _, lease_expires, task, tries = row
    return [Claim(int(uid), lease_expires, _load(task), int(tries))]


def save(db: Db, claimed: Claim, task: Task, due_ms: int = LEASE_MS) -> None:
    """Save how far a claimed task is, and prolong its lease. One trip. Raises LeaseLost.

    `due_ms`: when it may be claimed again, unless it is finished.
    """
    command = SAVE(
        uid=claimed.uid,
        kind=task.kind,
        lease_expires=claimed.lease_expires,
        lease=due_ms,
        task=_dump(task),
        finished=int(bool(task.ended_at)),
    )
    if not db.run(command):
        raise LeaseLost


def _dump(task: Task) -> str:
    return orjson.dumps(asdict(task)).decode()


def _load(stored: str) -> Task:
    return msgspec.json.decode(stored, type=Task)

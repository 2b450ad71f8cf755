"""Run a temporary store for a measurement, with members, follows and full homes."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from webapp.accounts import keys as account_keys
from webapp.config import Config, Rate
from webapp.core.events.outbox import Projection, StepProjection
from webapp.core.events.registry import Registry
from webapp.core.store import Command, Db, Site as Site, first_id_at, partition_of
from webapp.core.store.connection import connect
from webapp.core.store.reads import parse_info
from webapp.following import keys as following_keys
from webapp.server import embedded_store

FOLLOWS = 100  # members each follower follows
STRANGER = 1_000_000  # member ids from here on are followed by all, and never post
# The author of the statuses that fill a home. All members follow them.
OLD_AUTHOR = STRANGER + FOLLOWS - 1
# When the statuses that fill a home were posted: a day ago.
OLD_MS = int(time.time() * 1000) - 86_400_000
FREE = Rate(1_000_000, 1)  # no rate limit at all
CHUNK = 1_000  # commands one trip of the preparation takes


@contextmanager
def site(**settings: object) -> Iterator[Site]:
    """Run an empty store that does not write to disk. `settings` override those of the site."""
    with TemporaryDirectory(prefix="linnet-bench-") as folder:
        config = Config(
            data_dir=Path(folder),
            secret_key="bench",
            password_cost="8/1/1",
            log_level="WARNING",
            limit_post=FREE,
            limit_follow=FREE,
            **settings,  # type: ignore[arg-type]
        )
        store = embedded_store.start(config.data_dir, durable=False)
        try:
            db = connect(config)
            yield Site(db, config)
            db.close()
        finally:
            embedded_store.stop(store)


def send(db: Db, commands: Iterable[Command]) -> None:
    """Send many commands, CHUNK in each trip."""
    waiting: list[Command] = []
    for command in commands:
        waiting.append(command)
        if len(waiting) == CHUNK:
            db.trip(*waiting)
            waiting = []
    db.trip(*waiting)


def without(whole: Registry, group: str, left_out: StepProjection) -> Registry:
    """Return the registry whose group leaves a projection out."""

    def rest(projection: Projection) -> Projection:
        if not isinstance(projection, StepProjection):
            return projection
        return StepProjection(*(one for one in projection.parts if one not in left_out.parts))

    rows = {kind: tuple(map(rest, row)) for kind, row in whole.projections[group].items()}
    return replace(whole, projections={**whole.projections, group: rows})


def processor_seconds(db: Db) -> float:
    """Return the processor time of this process and of the store's main thread until now."""
    info = parse_info(db.run(("INFO", "cpu")))
    used = float(info["used_cpu_user_main_thread"]) + float(info["used_cpu_sys_main_thread"])
    return time.process_time() + used


def add_members(db: Db, uids: Iterable[int]) -> None:
    """Create active members who can post. (Their passwords are unknown.)"""
    send(
        db,
        (
            command
            for uid in uids
            for command in (
                (
                    "HSET",
                    account_keys.user(uid),
                    "login",
                    f"m{uid}",
                    "name",
                    f"Member {uid}",
                    "joined",
                    OLD_MS,
                ),
                ("ZADD", account_keys.active_members(partition_of(uid)), OLD_MS // 1000, uid),
            )
        ),
    )


def follow(db: Db, followers: dict[int, list[int]]) -> None:
    """Make each author's followers follow them, padded with strangers up to FOLLOWS.

    Both lists are written as the site writes them.
    """
    strangers = [
        part for index in range(FOLLOWS) for part in (OLD_MS * 1000 + index, STRANGER + index)
    ]
    db.run(("ZADD", "template", *strangers))
    members = sorted({uid for uids in followers.values() for uid in uids})
    send(db, (("COPY", "template", following_keys.following(uid)) for uid in members))
    for author, uids in followers.items():
        at = [(OLD_MS + author) * 1000 + index for index in range(len(uids))]
        send(
            db,
            (
                ("ZADD", following_keys.followers(author), score, uid)
                for uid, score in zip(uids, at, strict=True)
            ),
        )
        send(
            db,
            (
                ("ZADD", following_keys.following(uid), score, author)
                for uid, score in zip(uids, at, strict=True)
            ),
        )
        send(
            db,
            (("ZREMRANGEBYRANK", following_keys.following(uid), 0, -FOLLOWS - 1) for uid in uids),
        )


def fill_homes(db: Db, names: Iterable[str], lengths: range, mark: bool) -> None:
    """Fill homes with old statuses, cycling through `lengths`.

    `mark`: each home says that older entries were left out.
    """
    names = list(names)
    for length in lengths:
        template = f"template:{length}"
        ids = range(first_id_at(OLD_MS), first_id_at(OLD_MS) + length * 64, 64)
        entries = [part for status_id in ids for part in (status_id, f"{status_id}:{OLD_AUTHOR}")]
        db.run(("ZADD", template, *entries, *((-1, "more") if mark else ())))
    send(
        db,
        (("COPY", f"template:{lengths[i % len(lengths)]}", name) for i, name in enumerate(names)),
    )

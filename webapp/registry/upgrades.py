"""Upgrades: bring the data of older versions up to date, once, in slices, while the site runs.

The worker that holds the lease goes from member to member. The store keeps how far it is, so
another worker continues there. A slice may be done twice, so it must be safe to repeat.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.autocomplete import rank_projections as names
from webapp.chat.search import reindexing as chats
from webapp.core.errors import Conflict
from webapp.core.logs import log, log_pause
from webapp.core.store import Db, Read, Site, keys, partition_of, script, to_dict
from webapp.core.store.connection import PROGRAM_VERSION
from webapp.core.store.schema import PARTITION_TAGS
from webapp.search.index import rebuild
from webapp.statuses.attachments import quota, upgrades as pictures

SAVE = script("registry/lua/save_upgrade.lua")
DONE = "done"  # a position, as are "" before the beginning, and the uid of the last member
MEMBERS = 64  # of one slice: one of each partition
LEASE_MS = 60_000
IDLE_SECONDS = 10.0  # between two looks whether there is something to do
REST = 3  # times as long as a slice took, until the next


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Something to do once for all members. `step` does it for some, and is safe to repeat.

    `revision`: the first REVISION of the store whose data needs no such upgrade. `begin` comes
    before the first step and `finish` after the last. Any may raise Conflict, to begin again, and
    Unavailable, to be repeated later.
    """

    name: str
    revision: int
    step: Callable[[Site, Sequence[int]], None]
    begin: Callable[[Site], object] | None = None
    finish: Callable[[Site], None] | None = None


def _remove_leftovers(site: Site, uids: Iterable[int]) -> None:
    """Remove the keys of members that no version has used since this revision. One trip."""
    tags = ((PARTITION_TAGS[partition_of(uid)], uid) for uid in uids)
    site.db.trip_all(("UNLINK", f"app_tokens:{{{tag}}}:{uid}") for tag, uid in tags)


UPGRADES = (
    Upgrade("pictures", 1, pictures.restrict_pictures),
    Upgrade("media", 1, pictures.fill_media_tabs),
    Upgrade("names", 1, names.request_reindex),
    Upgrade("search", 1, rebuild.continue_with, begin=rebuild.begin, finish=rebuild.finish_begun),
    Upgrade("chats", 1, chats.reindex_chats_of),
    Upgrade("quota", 2, quota.count_stored),
    Upgrade("promotions", 3, names.request_reindex),
    Upgrade("leftovers", 3, _remove_leftovers),
)


@dataclass(frozen=True, slots=True)
class Pending:
    """An upgrade that is not done, and how far it is."""

    upgrade: Upgrade
    position: str
    last_uid: int

    def __str__(self) -> str:
        return f"{self.upgrade.name} {int(self.position or 0):,} of {self.last_uid:,} members"

    def do_slice(self, site: Site) -> str:
        """Do the next slice and return the new position."""
        try:
            return self._next_position(site)
        except Conflict:
            log.warning("upgrade %s begins again", self.upgrade.name)
            return ""

    def _next_position(self, site: Site) -> str:
        one = self.upgrade
        if not self.position:
            if one.begin:
                one.begin(site)
            return "0"
        first = int(self.position) + 1
        if first <= self.last_uid:
            uids = range(first, min(first + MEMBERS, self.last_uid + 1))
            one.step(site, uids)
            return str(uids[-1])
        if one.finish:
            one.finish(site)
        log.info("upgrade %s is done", one.name)
        return DONE


def pending() -> Read[list[Pending]]:
    """Read the upgrades that are not done. A store is made with all that its version knows."""

    def parse(replies: Sequence[Any]) -> list[Pending]:
        schema, fields, number = replies
        stored, last_uid = to_dict(fields), int(number or 0)
        revision = int(stored.get("revision", 0))
        positions = {
            one: stored.get(one.name, DONE if one.revision <= revision else "") for one in UPGRADES
        }
        if schema is None:  # it was emptied, and a site may begin with it anew
            return []
        return [Pending(one, at, last_uid) for one, at in positions.items() if at != DONE]

    commands = (
        ("GET", keys.schema_version()),
        ("HGETALL", keys.upgrades()),
        ("GET", account_keys.last_uid()),
    )
    return Read(commands, parse)


def ask_again(db: Db, name: str) -> None:
    """Have an upgrade done again from the beginning. One trip."""
    db.run(("HSET", keys.upgrades(), name, ""))


class UpgradeLoop:
    """Does the upgrades beside a worker's other work, one slice at a time on the whole site."""

    def __init__(self, site: Site) -> None:
        self._site, self._owner = site, secrets.token_hex(8)

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set. It rests most of the time, so that members notice nothing."""
        pause = 0.0
        while not stop.wait(pause):
            began, pause = time.monotonic(), IDLE_SECONDS
            try:
                if self.do_slice():
                    pause = REST * (time.monotonic() - began)
            except Exception as error:  # a loop that ended would leave its work undone
                log_pause("upgrades pause", error)

    def do_slice(self) -> bool:
        """Do the next slice of the first upgrade that is not done. Three trips, and the slice's.

        Return False if none is left, if another worker does it, or while processes of another
        version run: these could write data that needs the upgrade.
        """
        self._site.wait_for_replicas_of_cluster()
        waiting = self._site.db.read(pending())
        if not waiting or self._other_versions_run():
            return False
        first = waiting[0]
        is_leased = self._save(first, first.position)
        return is_leased and self._save(first, first.do_slice(self._site))

    def _other_versions_run(self) -> bool:
        """Return True if processes of another version report. Nobody can tell without figures."""
        if "metrics" not in self._site.config.enabled_features:
            return False
        from webapp.metrics.processes import processes

        found = self._site.db.read(processes())
        return any(one.version != PROGRAM_VERSION and not one.is_lost for one in found)

    def _save(self, one: Pending, position: str) -> bool:
        command = SAVE(
            owner=self._owner,
            lease_ms=LEASE_MS,
            name=one.upgrade.name,
            position=one.position,
            next=position,
        )
        return bool(self._site.db.run(command))

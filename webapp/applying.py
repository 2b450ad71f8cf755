"""Applying events: one partition's outbox, for one group, in order, each event until it worked or was parked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from redis.exceptions import ResponseError

from . import keys
from .accounts import projections as accounts
from .chat import bots, sweeping, webhooks
from .chat import projections as chat
from .config import Config
from .db import Db
from .errors import LeaseLost, Unavailable
from .events import Beat, Context, Event, Projection, request_id
from .following import block_projections as blocks
from .following import mutes
from .following import projections as following
from .following import request_projections as requests
from .lists import projections as lists
from .logs import log
from .notifications import chats
from .notifications import projections as notifications
from .scripts import script
from .statuses import boost_projections as boosts
from .statuses import filters, protecting
from .statuses import like_projections as likes
from .statuses import poll_projections as polls
from .statuses import projections as statuses
from .statuses import quote_projections as quotes
from .statuses import reply_projections as replies
from .streaming import projections as streaming
from .timelines import departures, dropping
from .timelines import projections as timelines
from .timelines import tag_projections as tags

PARK = script("park.lua")
READ = script("read.lua")
SWEEP = script("sweep.lua")
CONSUMER = "owner"  # one fixed name: a new owner finds its predecessor's unfinished entries under it
BATCH = 100  # events read at once
RUN_MAX = 20  # events applied together
SWEEP_EVERY = 1_000  # events applied between two sweeps of a busy partition
BACKOFF_SECONDS = 0.2  # before an event that failed is tried again, doubled each time

# What is done for each event, in this order, by each group.
PROJECTIONS: dict[str, dict[str, Sequence[Projection]]] = {
    "log": {
        # Pages are dropped before streams tell of it, so that who looks again sees it.
        "posted": (
            *(timelines.publish, replies.mirror, quotes.mirror, tags.file, dropping.of_statuses, streaming.append),
            notifications.mentions,
        ),
        "deleted": (
            *(timelines.publish, replies.mirror, quotes.mirror, tags.file, dropping.of_statuses, streaming.append),
            *(notifications.statuses_gone, boosts.statuses_gone),
        ),
        **dict.fromkeys(("edited", "scrubbed"), (dropping.of_members, streaming.append)),
        **dict.fromkeys(("pinned", "unpinned"), (dropping.of_profiles,)),
        **dict.fromkeys(("detached", "reattached"), (dropping.of_authors,)),
        "revised": (tags.file, dropping.of_authors, streaming.append, notifications.mentions),
        "followed": (requests.mirror, streaming.append, notifications.follows, notifications.requests),
        "unfollowed": (streaming.append, notifications.follows),
        **dict.fromkeys(("requested", "unrequested"), (requests.mirror, notifications.requests)),
        **dict.fromkeys(("accepted", "refused"), (requests.answered,)),
        **dict.fromkeys(("signed_out", "muted", "unmuted"), (streaming.append,)),
        "suspended": (departures.settle, dropping.of_members, streaming.append, tags.settle, requests.dissolve),
        "restored": (departures.settle, dropping.of_members, streaming.append, tags.settle),
        "protected": (departures.settle, dropping.of_members, streaming.append, tags.settle, protecting.settle),
        "unprotected": (requests.admit, departures.settle, dropping.of_members, tags.settle, protecting.settle),
        # Tags, likes and statuses last: there may be many, and streams need not wait for them.
        "removed": (
            *(departures.settle, dropping.of_members, streaming.append, tags.settle),
            *(likes.dissolve, boosts.dissolve, polls.dissolve, statuses.erase),
            *(requests.dissolve, notifications.departures, lists.dissolve),
        ),
        **dict.fromkeys(("liked", "unliked"), (likes.mirror, dropping.of_likes, notifications.likes)),
        **dict.fromkeys(
            ("boosted", "unboosted"), (boosts.mirror, dropping.of_boosts, streaming.append, notifications.boosts)
        ),
        "voted": (polls.mirror, dropping.of_polls, streaming.tallies, notifications.late_votes),
        "poll_ended": (dropping.of_polls, streaming.append),
        # Streams look the block up as soon as they hear of it.
        "blocked": (blocks.mirror, streaming.append, notifications.blocks, lists.part),
        "unblocked": (blocks.mirror, streaming.append),
        **dict.fromkeys(("listed", "unlisted"), (lists.mirror, dropping.of_list_owners, streaming.append)),
        "list_made": (dropping.of_list_owners,),
        "list_changed": (dropping.of_list_owners, streaming.append),
        "list_gone": (lists.forget, dropping.of_list_owners, streaming.append),
        "retagged": (streaming.append,),
    },
    "fanout": {
        # Into homes and lists, or out of both.
        "posted": (lists.push,),
        "deleted": (lists.take_back,),
        "boosted": (lists.push,),
        "unboosted": (lists.take_back,),
        "followed": (following.mirror, dropping.of_follows, timelines.backfill),
        "unfollowed": (following.mirror, dropping.of_follows),
        "follower_removed": (following.removed,),
        "edited": (accounts.sweep_pictures,),
        "poll_ended": (notifications.polls,),
        "removed": (
            *(departures.dissolve, blocks.dissolve, mutes.forget, filters.forget, chat.depart),
            *(bots.dissolve, webhooks.clear, accounts.clear),
        ),
        "chatted": (chat.raise_last, webhooks.queue, chats.mentions),
        "chat_members": (chat.settle_members,),
        "chat_gone": (chat.settle_members, sweeping.sweep_pictures),
        "chat_swept": (sweeping.sweep_pictures,),
    },
}


class Outbox:
    """One partition's events for one group, held under a lease's token."""

    def __init__(self, db: Db, config: Config, group: str, partition: int, token: int) -> None:
        self._db, self._config = db, config
        self.group, self.partition, self.token = group, partition, token
        self._key = keys.outbox(partition)
        self._unfinished = True  # a predecessor's entries, or one that failed: read those first
        self._applied = 0
        self._not_before = 0.0

    @property
    def ready(self) -> bool:
        """False while an event that failed is given time."""
        return time.monotonic() >= self._not_before

    def command(self) -> tuple[object, ...]:
        """The command whose reply goes to `apply`."""
        start = "0" if self._unfinished else ">"
        return READ([keys.lease(self.partition, self.group), self._key], self.token, self.group, CONSUMER, BATCH, start)

    def doubt(self) -> None:
        """Something failed: what was read may not have arrived, or not have been applied, so it is read again."""
        self._unfinished = True

    def apply(self, reply: Any, beat: Beat) -> bool:
        """Applies the events in the reply to `command`, in order; True when there may be more. Raises LeaseLost,
        Unavailable.
        """
        if isinstance(reply, ResponseError):
            if str(reply).startswith("LEASELOST"):
                raise LeaseLost
            if not str(reply).startswith("NOGROUP"):
                raise reply
            # The outbox, or its group, is not there yet.
            self._db.replies([("XGROUP", "CREATE", self._key, self.group, "0", "MKSTREAM")])
            return True
        entries = reply[0][1] if reply else []
        if not entries:
            was, self._unfinished = self._unfinished, False
            return was
        events = [self._event(entry_id, fields or []) for entry_id, fields in entries]
        done: list[str] = []
        try:
            for run in self._runs(events):
                if not self._try(run, beat):
                    break
                done += [event.id for event in run]
        finally:
            self._acknowledge(done)
        return len(done) == len(entries)

    def sweep(self) -> None:
        """Drops what both groups have applied."""
        self._applied = 0
        self._db.replies([SWEEP([self._key])])

    def _runs(self, events: list[Event]) -> Iterator[list[Event]]:
        """Events of one type that stand together are applied together, to share trips; those that were left unfinished
        one by one, to find the one that fails.
        """
        most = 1 if self._unfinished else RUN_MAX
        for _, group in groupby(events, lambda event: (event.type, event.data.get("only"))):
            same = list(group)
            yield from (same[start : start + most] for start in range(0, len(same), most))

    def _try(self, run: list[Event], beat: Beat) -> bool:
        """True when the events are done with: applied, parked, or not for this group."""
        first = run[0]
        # Attempts after the first are counted as they begin: an event that kills its worker must not go on for ever.
        attempt = self._count(first) if self._unfinished else 0
        if attempt > self._config.attempts_max:
            return self._park(first, "its worker died")
        token = request_id.set(first.rid)
        try:
            self._project(run, beat)
            return True
        except (LeaseLost, Unavailable):
            self._unfinished = True
            if attempt:  # which was not the event's fault
                self._db.replies([self._counting(first, -1)])
            raise
        except Exception as error:
            if len(run) == 1:
                return self._failed(first, error, attempt or self._count(first))
            log.warning("%s %s p=%d failed in a run of %d: %r", self.group, first.type, self.partition, len(run), error)
            self._unfinished = True  # they are tried again, one by one
            return False
        finally:
            request_id.reset(token)

    def _project(self, run: list[Event], beat: Beat) -> None:
        only = run[0].data.get("only")  # an event that was parked in one group comes back for that group
        if not only or only == self.group:
            for projection in PROJECTIONS[self.group].get(run[0].type, ()):
                projection(Context(self._db, self._config, beat), run)
        for event in run:
            request_id.set(event.rid)
            log.info("applied %s %s p=%d id=%s", self.group, event.type, self.partition, event.id)

    def _failed(self, event: Event, error: Exception, attempt: int) -> bool:
        """Parks an event that failed too often; gives any other one time."""
        where = (self.group, event.type, self.partition, event.id)
        log.warning("%s %s p=%d id=%s failed %d times: %r", *where, attempt, error)
        if attempt >= self._config.attempts_max:
            return self._park(event, repr(error)[:500])
        self._unfinished = True
        self._not_before = time.monotonic() + BACKOFF_SECONDS * 2 ** (attempt - 1)
        return False

    def _count(self, event: Event) -> int:
        return int(self._db.run(self._counting(event, 1)))

    def _counting(self, event: Event, by: int) -> tuple[object, ...]:
        return ("HINCRBY", keys.attempts(self.partition), f"{self.group}:{event.id}", by)

    def _park(self, event: Event, reason: str) -> bool:
        names = [self._key, keys.parked(self.partition), keys.attempts(self.partition)]
        self._db.run(PARK(names, self.group, event.id, reason, self._config.parked_max))
        log.error("parked %s %s p=%d id=%s: %s", self.group, event.type, self.partition, event.id, reason)
        return True

    def _acknowledge(self, done: list[str]) -> None:
        if not done:
            return
        commands: list[tuple[object, ...]] = [("XACK", self._key, self.group, *done)]
        if self._unfinished:
            commands.append(("HDEL", keys.attempts(self.partition), *(f"{self.group}:{entry_id}" for entry_id in done)))
        self._applied += len(done)
        if self._applied >= SWEEP_EVERY:
            self._applied = 0
            commands.append(SWEEP([self._key]))
        self._db.trip(*commands)

    def _event(self, entry_id: str, fields: list[str]) -> Event:
        data = dict(zip(fields[::2], fields[1::2], strict=True))
        kind, rid = data.pop("type", "dropped"), data.pop("rid", "-")
        return Event(entry_id, self.partition, self.group, self.token, kind, rid, data)

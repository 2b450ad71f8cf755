"""Applying events: one partition's outbox, for one group, in order, each event until it worked or was parked."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from redis.exceptions import ResponseError

from webapp.accounts import projections as accounts
from webapp.chat import cleanup
from webapp.chat.bots import store as bots
from webapp.chat.bots import webhooks
from webapp.chat.inbox import projections as inbox_projections
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.scripts import script
from webapp.core.web.request_log import log
from webapp.errors import LeaseLost, Unavailable
from webapp.following import projections as following
from webapp.following.blocks import projections as blocks_projections
from webapp.following.mutes import store as mutes
from webapp.following.requests import projections as requests_projections
from webapp.lists import projections as lists
from webapp.notifications import chats
from webapp.notifications import projections as notifications
from webapp.statuses import projections as statuses
from webapp.statuses.filters import store as filters
from webapp.statuses.interactions import boost_projections, like_projections
from webapp.statuses.polls import projections as polls_projections
from webapp.statuses.quotes import projections as quotes_projections
from webapp.statuses.threads import projections as threads_projections
from webapp.statuses.visibility import protection_projections
from webapp.streaming.log import projections as log_projections
from webapp.timelines import account_projections, page_invalidation
from webapp.timelines.fanout import projections as fanout_projections
from webapp.timelines.tags import projections as tags_projections

from . import keys
from .outbox import Context, Event, Heartbeat, Projection, request_id

PARK = script("core/events/lua/park.lua")
READ_EVENTS = script("core/events/lua/read_events.lua")
SWEEP = script("core/events/lua/sweep.lua")
CONSUMER_NAME = (
    "owner"  # one fixed name: a new owner finds its predecessor's unfinished entries under it
)
READ_BATCH = 100  # events read at once
RUN_MAX = 20  # events applied together
SWEEP_EVERY = 1_000  # events applied between two sweeps of a busy partition
BACKOFF_SECONDS = 0.2  # before an event that failed is tried again, doubled each time

# What is done for each event, in this order, by each group.
PROJECTIONS: dict[str, dict[str, Sequence[Projection]]] = {
    "log": {
        # Pages are dropped before streams tell of it, so that who looks again sees it.
        "posted": (
            *(
                fanout_projections.publish,
                threads_projections.sync_replies,
                quotes_projections.sync_quotes,
                tags_projections.index,
                page_invalidation.for_statuses,
                log_projections.append,
            ),
            notifications.notify_mentions,
        ),
        "deleted": (
            *(
                fanout_projections.publish,
                threads_projections.sync_replies,
                quotes_projections.sync_quotes,
                tags_projections.index,
                page_invalidation.for_statuses,
                log_projections.append,
            ),
            *(notifications.on_statuses_deleted, boost_projections.purge_deleted_statuses),
        ),
        **dict.fromkeys(
            ("edited", "scrubbed"), (page_invalidation.for_members, log_projections.append)
        ),
        **dict.fromkeys(("pinned", "unpinned"), (page_invalidation.for_profiles,)),
        **dict.fromkeys(("detached", "reattached"), (page_invalidation.for_authors,)),
        "revised": (
            tags_projections.index,
            page_invalidation.for_authors,
            log_projections.append,
            notifications.notify_mentions,
        ),
        "followed": (
            requests_projections.sync_requests,
            log_projections.append,
            notifications.notify_follows,
            notifications.notify_follow_requests,
        ),
        "unfollowed": (log_projections.append, notifications.notify_follows),
        **dict.fromkeys(
            ("requested", "unrequested"),
            (requests_projections.sync_requests, notifications.notify_follow_requests),
        ),
        **dict.fromkeys(("accepted", "refused"), (requests_projections.resolve_requests,)),
        **dict.fromkeys(("signed_out", "muted", "unmuted"), (log_projections.append,)),
        "suspended": (
            account_projections.sync_author_visibility,
            page_invalidation.for_members,
            log_projections.append,
            tags_projections.reindex_author,
            requests_projections.cancel_requests,
        ),
        "restored": (
            account_projections.sync_author_visibility,
            page_invalidation.for_members,
            log_projections.append,
            tags_projections.reindex_author,
        ),
        "protected": (
            account_projections.sync_author_visibility,
            page_invalidation.for_members,
            log_projections.append,
            tags_projections.reindex_author,
            protection_projections.sync_protection,
        ),
        "unprotected": (
            requests_projections.accept_all_waiting,
            account_projections.sync_author_visibility,
            page_invalidation.for_members,
            tags_projections.reindex_author,
            protection_projections.sync_protection,
        ),
        # Tags, likes and statuses last: there may be many, and streams need not wait for them.
        "removed": (
            *(
                account_projections.sync_author_visibility,
                page_invalidation.for_members,
                log_projections.append,
                tags_projections.reindex_author,
            ),
            *(
                like_projections.purge_deleted_account,
                boost_projections.purge_deleted_account,
                polls_projections.purge_deleted_account,
                statuses.purge_deleted_account,
            ),
            *(
                requests_projections.cancel_requests,
                notifications.on_account_removed,
                lists.purge_deleted_account,
            ),
        ),
        **dict.fromkeys(
            ("liked", "unliked"),
            (like_projections.sync_likers, page_invalidation.for_likes, notifications.notify_likes),
        ),
        **dict.fromkeys(
            ("boosted", "unboosted"),
            (
                boost_projections.sync_boosters,
                page_invalidation.for_boosts,
                log_projections.append,
                notifications.notify_boosts,
            ),
        ),
        "voted": (
            polls_projections.sync_votes,
            page_invalidation.for_polls,
            log_projections.append_tallies,
            notifications.notify_late_voters,
        ),
        "poll_ended": (page_invalidation.for_polls, log_projections.append),
        # Streams look the block up as soon as they hear of it.
        "blocked": (
            blocks_projections.sync_blockers,
            log_projections.append,
            notifications.on_block,
            lists.on_block,
        ),
        "unblocked": (blocks_projections.sync_blockers, log_projections.append),
        **dict.fromkeys(
            ("listed", "unlisted"),
            (lists.sync_listed_on, page_invalidation.for_lists, log_projections.append),
        ),
        "list_made": (page_invalidation.for_lists,),
        "list_changed": (page_invalidation.for_lists, log_projections.append),
        "list_gone": (
            lists.purge_deleted_list,
            page_invalidation.for_lists,
            log_projections.append,
        ),
        "retagged": (log_projections.append,),
    },
    "fanout": {
        # Into homes and lists, or out of both.
        "posted": (lists.deliver_statuses,),
        "deleted": (lists.retract_statuses,),
        "boosted": (lists.deliver_statuses,),
        "unboosted": (lists.retract_statuses,),
        "followed": (
            following.sync_followers,
            page_invalidation.for_follows,
            fanout_projections.backfill,
        ),
        "unfollowed": (following.sync_followers, page_invalidation.for_follows),
        "follower_removed": (following.end_removed_follows,),
        "edited": (accounts.remove_unused_pictures,),
        "poll_ended": (notifications.notify_poll_ended,),
        "removed": (
            *(
                account_projections.purge_deleted_account,
                blocks_projections.purge_deleted_account,
                mutes.purge_deleted_account,
                filters.purge_deleted_account,
                inbox_projections.purge_deleted_account,
            ),
            *(
                bots.purge_deleted_account,
                webhooks.purge_deleted_account,
                accounts.purge_deleted_account,
            ),
        ),
        "chatted": (
            inbox_projections.sync_last_messages,
            webhooks.queue_deliveries,
            chats.notify_chat_mentions,
        ),
        "chat_members": (inbox_projections.sync_members,),
        "chat_gone": (inbox_projections.sync_members, cleanup.remove_unused_pictures),
        "chat_swept": (cleanup.remove_unused_pictures,),
    },
}


class PartitionConsumer:
    """One partition's events for one group, held under a lease's token."""

    def __init__(self, db: Db, config: Config, group: str, partition: int, token: int) -> None:
        self._db, self._config = db, config
        self.group, self.partition, self.token = group, partition, token
        self._outbox_key = keys.outbox(partition)
        self._has_pending = True  # a predecessor's entries, or one that failed: read those first
        self._applied_since_sweep = 0
        self._retry_at = 0.0

    @property
    def ready(self) -> bool:
        """False while an event that failed is given time."""
        return time.monotonic() >= self._retry_at

    def command(self) -> tuple[object, ...]:
        """The command whose reply goes to `apply`."""
        start = "0" if self._has_pending else ">"
        return READ_EVENTS(
            [keys.lease(self.partition, self.group), self._outbox_key],
            self.token,
            self.group,
            CONSUMER_NAME,
            READ_BATCH,
            start,
        )

    def reread_pending(self) -> None:
        """Something failed: what was read may not have arrived, or not have been applied, so it is read again."""
        self._has_pending = True

    def apply(self, reply: Any, heartbeat: Heartbeat) -> bool:
        """Applies the events in the reply to `command`, in order; True when there may be more. Raises LeaseLost,
        Unavailable.
        """
        if isinstance(reply, ResponseError):
            if str(reply).startswith("LEASELOST"):
                raise LeaseLost
            if not str(reply).startswith("NOGROUP"):
                raise reply
            # The outbox, or its group, is not there yet.
            self._db.trip_with_errors(
                [("XGROUP", "CREATE", self._outbox_key, self.group, "0", "MKSTREAM")]
            )
            return True
        entries = reply[0][1] if reply else []
        if not entries:
            had_pending, self._has_pending = self._has_pending, False
            return had_pending
        events = [self._parse_event(entry_id, fields or []) for entry_id, fields in entries]
        applied_ids: list[str] = []
        try:
            for run in self._runs(events):
                if not self._attempt(run, heartbeat):
                    break
                applied_ids += [event.id for event in run]
        finally:
            self._acknowledge(applied_ids)
        return len(applied_ids) == len(entries)

    def sweep(self) -> None:
        """Drops what both groups have applied."""
        self._applied_since_sweep = 0
        self._db.trip_with_errors([SWEEP([self._outbox_key])])

    def _runs(self, events: list[Event]) -> Iterator[list[Event]]:
        """Events of one type that stand together are applied together, to share trips; those that were left unfinished
        one by one, to find the one that fails.
        """
        run_limit = 1 if self._has_pending else RUN_MAX
        for _, grouped in groupby(events, lambda event: (event.type, event.data.get("only"))):
            alike_events = list(grouped)
            yield from (
                alike_events[start : start + run_limit]
                for start in range(0, len(alike_events), run_limit)
            )

    def _attempt(self, run: list[Event], heartbeat: Heartbeat) -> bool:
        """True when the events are done with: applied, parked, or not for this group."""
        first_event = run[0]
        # Attempts after the first are counted as they begin: an event that kills its worker must not go on for ever.
        attempt = self._record_attempt(first_event) if self._has_pending else 0
        if attempt > self._config.attempts_max:
            return self._park(first_event, "its worker died")
        token = request_id.set(first_event.rid)
        try:
            self._apply_projections(run, heartbeat)
            return True
        except (LeaseLost, Unavailable):
            self._has_pending = True
            if attempt:  # which was not the event's fault
                self._db.trip_with_errors([self._attempts_command(first_event, -1)])
            raise
        except Exception as error:
            if len(run) == 1:
                return self._handle_failure(
                    first_event, error, attempt or self._record_attempt(first_event)
                )
            log.warning(
                "%s %s p=%d failed in a run of %d: %r",
                self.group,
                first_event.type,
                self.partition,
                len(run),
                error,
            )
            self._has_pending = True  # they are tried again, one by one
            return False
        finally:
            request_id.reset(token)

    def _apply_projections(self, run: list[Event], heartbeat: Heartbeat) -> None:
        only_group = run[0].data.get(
            "only"
        )  # an event that was parked in one group comes back for that group
        if not only_group or only_group == self.group:
            for projection in PROJECTIONS[self.group].get(run[0].type, ()):
                projection(Context(self._db, self._config, heartbeat), run)
        for event in run:
            request_id.set(event.rid)
            log.info("applied %s %s p=%d id=%s", self.group, event.type, self.partition, event.id)

    def _handle_failure(self, event: Event, error: Exception, attempt: int) -> bool:
        """Parks an event that failed too often; gives any other one time."""
        log_fields = (self.group, event.type, self.partition, event.id)
        log.warning("%s %s p=%d id=%s failed %d times: %r", *log_fields, attempt, error)
        if attempt >= self._config.attempts_max:
            return self._park(event, repr(error)[:500])
        self._has_pending = True
        self._retry_at = time.monotonic() + BACKOFF_SECONDS * 2 ** (attempt - 1)
        return False

    def _record_attempt(self, event: Event) -> int:
        return int(self._db.run(self._attempts_command(event, 1)))

    def _attempts_command(self, event: Event, increment: int) -> tuple[object, ...]:
        return (
            "HINCRBY",
            keys.event_attempts(self.partition),
            f"{self.group}:{event.id}",
            increment,
        )

    def _park(self, event: Event, reason: str) -> bool:
        script_keys = [
            self._outbox_key,
            keys.parked_events(self.partition),
            keys.event_attempts(self.partition),
        ]
        self._db.run(PARK(script_keys, self.group, event.id, reason, self._config.parked_max))
        log.error(
            "parked %s %s p=%d id=%s: %s", self.group, event.type, self.partition, event.id, reason
        )
        return True

    def _acknowledge(self, applied_ids: list[str]) -> None:
        if not applied_ids:
            return
        commands: list[tuple[object, ...]] = [("XACK", self._outbox_key, self.group, *applied_ids)]
        if self._has_pending:
            commands.append(
                (
                    "HDEL",
                    keys.event_attempts(self.partition),
                    *(f"{self.group}:{entry_id}" for entry_id in applied_ids),
                )
            )
        self._applied_since_sweep += len(applied_ids)
        if self._applied_since_sweep >= SWEEP_EVERY:
            self._applied_since_sweep = 0
            commands.append(SWEEP([self._outbox_key]))
        self._db.trip(*commands)

    def _parse_event(self, entry_id: str, fields: list[str]) -> Event:
        data = dict(zip(fields[::2], fields[1::2], strict=True))
        kind, rid = data.pop("type", "dropped"), data.pop("rid", "-")
        return Event(entry_id, self.partition, self.group, self.token, kind, rid, data)

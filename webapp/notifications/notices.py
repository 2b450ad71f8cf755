"""Sync notifications with the actions they are about: add those that hold, remove others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.events.steps import Steps, do_steps, send
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys

from . import keys
from .kinds import GATHERED, KINDS, PROMPT
from .push import keys as push_keys

VERIFY_SOURCE = script("notifications/lua/verify_source.lua")
NOTIFY = script("notifications/lua/notify.lua")
REMOVE = script("notifications/lua/remove.lua")
PUSH_DELAYS_MS = {PROMPT: 3_000, GATHERED: 60_000}  # what comes meanwhile goes along
BATCH = 500  # members whose lists are changed in one trip


class Notice(NamedTuple):
    """Notify `recipient` about an action of `actor`, provided it still holds.

    It holds while `source_member` is on the list `source_key`, or while that key exists if the
    member is "". Both are in the actor's partition.
    """

    event: Event
    kind: str
    actor: int
    recipient: int
    subject: int | str
    source_key: str
    source_member: int | str
    about_own_status: bool = False  # the subject is a status of the recipient


def status_notice(event: Event, kind: str, recipient: int) -> Notice:
    """Return the notice about an event of a status, which holds while the status exists."""
    status_id, author = int(event.data["id"]), int(event.data["author"])
    return Notice(event, kind, author, recipient, status_id, status_keys.status(status_id), "")


def sync_notices(context: Context, notices: Sequence[Notice]) -> None:
    """Add notifications whose action holds, and remove others. Two trips, none without notices."""
    do_steps(context.db, sync_notices_in_steps(context, notices))


def sync_notices_in_steps(context: Context, notices: Sequence[Notice]) -> Steps[None]:
    """Add notifications whose action holds, and remove others, in two steps."""
    deliverable = [
        notice
        for notice in notices
        if notice.actor != notice.recipient or KINDS[notice.kind].notifies_actor
    ]
    holds = yield from send(*map(_verify_command, deliverable))
    yield from send(
        *(
            _notify_command(notice, context.config) if still_holds else _retract_command(notice)
            for notice, still_holds in zip(deliverable, holds, strict=True)
        )
    )


def remove_command(
    event: Event, uid: int, kind: str = "", actor: int | str = "", subject: int | str = ""
) -> Command:
    """Return the command that removes a member's notifications of a kind, actor and subject.

    An empty one matches all. The subject `cid.` matches all messages of a chat.
    """
    return REMOVE(
        notifications=keys.notifications(uid),
        unread=keys.unread_notifications(uid),
        uid=uid,
        kind=kind,
        actor=actor,
        subject=subject,
        **event.fence_arguments(uid),
    )


def _retract_command(notice: Notice) -> Command:
    return remove_command(notice.event, notice.recipient, notice.kind, notice.actor, notice.subject)


def _verify_command(notice: Notice) -> Command:
    actor = notice.actor
    return VERIFY_SOURCE(
        user=account_keys.user(actor),
        notified=keys.notified_members(actor),
        source_key=notice.source_key,
        followers=following_keys.followers(actor),
        recipient=notice.recipient,
        source_member=notice.source_member,
        **notice.event.fence_arguments(actor),
    )


def _notify_command(notice: Notice, config: Config) -> Command:
    uid, lane = notice.recipient, KINDS[notice.kind].lane
    status = status_keys.status(int(notice.subject)) if notice.about_own_status else None
    return NOTIFY(
        user=account_keys.user(uid),
        notifications=keys.notifications(uid),
        unread=keys.unread_notifications(uid),
        following=following_keys.following(uid),
        blocks=following_keys.blocks(uid),
        blockers=following_keys.blockers(uid),
        muted_notifications=following_keys.muted_notifications(uid),
        push_devices=push_keys.push_devices(uid),
        push_device_prefix=push_keys.push_device.prefix(uid),
        due_pushes=push_keys.due_pushes(partition_of(uid)),
        status=status,
        uid=uid,
        kind=notice.kind,
        actor=notice.actor,
        subject=notice.subject,
        limit=config.notifications_max,
        lane="" if config.web_push == "off" else lane,
        delay=PUSH_DELAYS_MS[lane],
        **notice.event.fence_arguments(uid),
    )

"""What events tell members, and what they take back. Safe to run twice, and in any order: whoever did it is asked first
whether it is still so. All but `polls` run in the group `log`: what one member did reaches others in the
order of their acts, and the end of their account comes after all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.interactions.boost_refs import ref_from_event, zset_member
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.visibility.visibility import Visibility

from . import keys
from .kinds import KINDS

VERIFY_SOURCE = script("notifications/lua/verify_source.lua")
NOTIFY = script("notifications/lua/notify.lua")
REMOVE = script("notifications/lua/remove.lua")
BATCH = 500  # members whom a deleted account is taken off in one trip
NO_SUBJECT = 0  # the subject of what is about no status


class Notice(NamedTuple):
    """That member `to` is to hear what `by` did, as long as it is so: `what` stands on the list `truth`, or there is
    such a key where `what` is "". Both are in the partition of `by`.
    """

    event: Event
    kind: str
    actor: int
    recipient: int
    subject: int | str
    source_key: str
    source_member: int | str
    about_own_status: bool = False  # the subject is a status of `to`


def notify_mentions(context: Context, events: Sequence[Event]) -> None:
    """Statuses tell whom they answer, quote and name, once each; deleted ones cease to. Without these nothing is asked.
    Of a quote that not everybody may see nobody is told.
    """
    reply_notices = [
        _status_notice(event, "reply", int(event.data["to"]))
        for event in events
        if event.data.get("to")
    ]
    quote_notices = [
        _status_notice(event, "quote", uid) for event in events if (uid := _quoted_uid(event))
    ]
    mention_notices = [
        one
        for event, uids in _mentioned_uids(context, events)
        for one in _mention_notices(event, uids)
    ]
    sync_notices(context, [*reply_notices, *quote_notices, *mention_notices])


def notify_likes(context: Context, events: Sequence[Event]) -> None:
    """Likes tell the author of the status; those that are taken back cease to."""
    status_ids = [int(event.data["id"]) for event in events]
    # Who takes a like back need not know whose the status was.
    author_commands = [
        ("HGET", status_keys.status(status_id), "author")
        for status_id, event in zip(status_ids, events, strict=True)
        if _lacks_author(event)
    ]
    authors = iter(context.db.trip(*author_commands))
    notices = []
    for event, status_id in zip(events, status_ids, strict=True):
        author, actor = (
            next(authors) if _lacks_author(event) else event.data["author"],
            int(event.data["uid"]),
        )
        if author:  # with a status everything about it goes
            notices.append(
                Notice(
                    event,
                    "like",
                    actor,
                    int(author),
                    status_id,
                    interaction_keys.member_likes(actor),
                    status_id,
                    about_own_status=True,
                )
            )
    sync_notices(context, notices)


def notify_boosts(context: Context, events: Sequence[Event]) -> None:
    """Boosts tell the author of the status; those that are taken back cease to."""
    notices = []
    for event in events:
        if boost_ref := ref_from_event(event):
            source = (
                interaction_keys.member_boosts(boost_ref.booster_uid),
                zset_member(boost_ref.status_id, boost_ref.author_uid),
            )
            notices.append(
                Notice(
                    event,
                    "boost",
                    boost_ref.booster_uid,
                    boost_ref.author_uid,
                    boost_ref.status_id,
                    *source,
                    about_own_status=True,
                )
            )
    sync_notices(context, notices)


def notify_follows(context: Context, events: Sequence[Event]) -> None:
    """Follows tell who is followed; those that end cease to."""
    pairs = [(event, int(event.data["uid"]), int(event.data["target"])) for event in events]
    sync_notices(
        context,
        [
            Notice(event, "follow", by, to, NO_SUBJECT, following_keys.following(by), to)
            for event, by, to in pairs
        ],
    )


def notify_poll_ended(context: Context, events: Sequence[Event]) -> None:
    """Polls that ended tell who asked and who voted. There may be many, so streams do not wait for this."""
    for event in events:
        sync_notices(context, [_status_notice(event, "poll", int(event.data["author"]))])
        cursor = "0"
        while True:
            cursor, votes = context.db.run(
                ("HSCAN", poll_keys.votes(int(event.data["id"])), cursor, "COUNT", BATCH)
            )
            sync_notices(context, [_status_notice(event, "poll", int(uid)) for uid in votes[::2]])
            context.heartbeat()
            if str(cursor) == "0":
                break


def notify_late_voters(context: Context, events: Sequence[Event]) -> None:
    """Votes that were counted when it had been told already that their poll ended tell it to those who gave them. One
    trip, and those of `tell` where there are any. After the vote is mirrored: whoever ends the poll later finds it.
    """
    deadline_arguments = (
        (poll_keys.poll_deadlines(partition_of(int(event.data["id"]))), event.data["id"])
        for event in events
    )
    deadlines = context.db.trip(*(("ZSCORE", *one) for one in deadline_arguments))
    ended = [event for event, ends in zip(events, deadlines, strict=True) if ends is None]
    sync_notices(
        context, [_status_notice(event, "poll", int(event.data["uid"])) for event in ended]
    )


def notify_follow_requests(context: Context, events: Sequence[Event]) -> None:
    """Requests tell who is asked; those that are answered or taken back cease to."""
    request_events = [
        event for event in events if event.type != "followed" or "asked" in event.data
    ]
    pairs = [(event, int(event.data["uid"]), int(event.data["target"])) for event in request_events]
    sync_notices(
        context,
        [
            Notice(
                event, "request", by, to, NO_SUBJECT, following_keys.sent_follow_requests(by), to
            )
            for event, by, to in pairs
        ],
    )


def on_statuses_deleted(context: Context, events: Sequence[Event]) -> None:
    """What others did with a status that is deleted is told no more; nor is whom it named."""
    context.db.trip(
        *(
            remove_command(event, int(event.data["author"]), subject=event.data["id"])
            for event in events
        )
    )
    notify_mentions(context, events)


def on_block(context: Context, events: Sequence[Event]) -> None:
    """Two of whom one blocks the other hear no more of what they did before."""
    pairs = [(event, int(event.data["uid"]), int(event.data["target"])) for event in events]
    scores = context.db.trip(
        *(("ZSCORE", following_keys.blocks(uid), target) for _, uid, target in pairs)
    )
    blocked_pairs = [pair for pair, at in zip(pairs, scores, strict=True) if at]
    context.db.trip(
        *(
            remove_command(event, to, actor=by)
            for event, one, other in blocked_pairs
            for to, by in ((one, other), (other, one))
        )
    )


def on_account_removed(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts are told nothing, and nobody is told of them. Whoever is done with is taken off their own list,
    so that a new owner goes on where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        context.db.run(remove_command(event, uid))
        while page := context.db.run(("SRANDMEMBER", keys.notified_members(uid), BATCH)):
            context.db.trip(*(remove_command(event, int(other), actor=uid) for other in page))
            context.db.run(("SREM", keys.notified_members(uid), *page))
            context.heartbeat()


def sync_notices(context: Context, notices: Sequence[Notice]) -> None:
    """Brings the lists of who is told up to what is so by now. Two trips, none without notices."""
    deliverable = [
        notice
        for notice in notices
        if notice.actor != notice.recipient or KINDS[notice.kind].notifies_actor
    ]
    confirmed = context.db.trip(*map(_verify_command, deliverable))
    notifications_max = context.config.notifications_max
    context.db.trip(
        *(
            _notify_command(one, notifications_max)
            if so
            else remove_command(one.event, one.recipient, one.kind, one.actor, one.subject)
            for one, so in zip(deliverable, confirmed, strict=True)
        )
    )


def remove_command(
    event: Event, uid: int, kind: str = "", actor: int | str = "", subject: int | str = ""
) -> Command:
    """The command that takes off a member's list all that is of this kind, by this member and about this subject, of
    which any may be left open.
    """
    source, token = event.fence
    return REMOVE(
        fences=event_keys.fences(partition_tag(uid)),
        notifications=keys.notifications(uid),
        unread=keys.unread_notifications(uid),
        source=source,
        token=token,
        uid=uid,
        kind=kind,
        actor=actor,
        subject=subject,
    )


def _mentioned_uids(context: Context, events: Sequence[Event]) -> Iterator[tuple[Event, list[int]]]:
    """The events that name members, and who that is: in one trip, none where nobody is named."""
    with_mentions = [event for event in events if event.data.get("mentions")]
    logins = {login for event in with_mentions for login in event.data["mentions"].split()}
    claims = context.db.trip(*(("GET", account_keys.login(login)) for login in logins))
    uids_by_login = {
        login: int(claim.partition(":")[0])
        for login, claim in zip(logins, claims, strict=True)
        if claim
    }
    for event in with_mentions:
        yield (
            event,
            [
                uids_by_login[login]
                for login in event.data["mentions"].split()
                if login in uids_by_login
            ],
        )


def _mention_notices(event: Event, uids: Sequence[int]) -> Iterator[Notice]:
    # Who hears of the reply or the quote need not be told that it names them.
    already_notified = {int(event.data.get("to") or 0), _quoted_uid(event)}
    return (_status_notice(event, "mention", uid) for uid in uids if uid not in already_notified)


def _quoted_uid(event: Event) -> int:
    """Whom a status tells that it quotes them; 0 for nobody."""
    quoted = int(event.data.get("quoted") or 0)
    is_restricted = Visibility(event.data.get("vis", "")).restricted
    return 0 if is_restricted or quoted == int(event.data.get("to") or 0) else quoted


def _status_notice(event: Event, kind: str, recipient: int) -> Notice:
    status_id, author = int(event.data["id"]), int(event.data["author"])
    return Notice(event, kind, author, recipient, status_id, status_keys.status(status_id), "")


def _lacks_author(event: Event) -> bool:
    return "author" not in event.data


def _verify_command(notice: Notice) -> Command:
    actor = notice.actor
    source, token = notice.event.fence
    return VERIFY_SOURCE(
        fences=event_keys.fences(partition_tag(actor)),
        user=account_keys.user(actor),
        notified=keys.notified_members(actor),
        source_key=notice.source_key,
        followers=following_keys.followers(actor),
        source=source,
        token=token,
        recipient=notice.recipient,
        source_member=notice.source_member,
    )


def _notify_command(notice: Notice, notifications_max: int) -> Command:
    uid = notice.recipient
    source, token = notice.event.fence
    status = status_keys.status(int(notice.subject)) if notice.about_own_status else None
    return NOTIFY(
        fences=event_keys.fences(partition_tag(uid)),
        user=account_keys.user(uid),
        notifications=keys.notifications(uid),
        unread=keys.unread_notifications(uid),
        following=following_keys.following(uid),
        blocks=following_keys.blocks(uid),
        blockers=following_keys.blockers(uid),
        muted_notifications=following_keys.muted_notifications(uid),
        status=status,
        source=source,
        token=token,
        uid=uid,
        kind=notice.kind,
        actor=notice.actor,
        subject=notice.subject,
        limit=notifications_max,
    )

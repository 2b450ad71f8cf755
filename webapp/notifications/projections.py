"""What events tell members, and what they take back. Safe to run twice, and in any order: whoever did it is asked first
whether it is still so. All but `polls` run in the group `log`: what one member did reaches others in the
order of their acts, and the end of their account comes after all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .. import keys
from ..db import Command
from ..events import Context, Event
from ..ids import partition_of
from ..scripts import script
from ..statuses.boosts import member_of, told_by
from ..statuses.visibility import Visibility
from .kinds import KINDS

VOUCH = script("notifications/vouch.lua")
NOTIFY = script("notifications/notify.lua")
FORGET = script("notifications/forget.lua")
BATCH = 500  # members whom a deleted account is taken off in one trip
NONE = 0  # the subject of what is about no status


class Notice(NamedTuple):
    """That member `to` is to hear what `by` did, as long as it is so: `what` stands on the list `truth`, or there is
    such a key where `what` is "". Both are in the partition of `by`.
    """

    event: Event
    kind: str
    by: int
    to: int
    subject: int | str
    truth: str
    what: int | str
    own: bool = False  # the subject is a status of `to`


def mentions(context: Context, events: Sequence[Event]) -> None:
    """Statuses tell whom they answer, quote and name, once each; deleted ones cease to. Without these nothing is asked.
    Of a quote that not everybody may see nobody is told.
    """
    answers = [_of_status(event, "reply", int(event.data["to"])) for event in events if event.data.get("to")]
    quotes = [_of_status(event, "quote", uid) for event in events if (uid := _quoted(event))]
    named = [one for event, uids in _named(context, events) for one in _mentions(event, uids)]
    tell(context, [*answers, *quotes, *named])


def likes(context: Context, events: Sequence[Event]) -> None:
    """Likes tell the author of the status; those that are taken back cease to."""
    ids = [int(event.data["id"]) for event in events]
    # Who takes a like back need not know whose the status was.
    asked = [("HGET", keys.status(one), "author") for one, event in zip(ids, events, strict=True) if _nameless(event)]
    authors = iter(context.db.trip(*asked))
    notices = []
    for event, one in zip(events, ids, strict=True):
        author, by = next(authors) if _nameless(event) else event.data["author"], int(event.data["uid"])
        if author:  # with a status everything about it goes
            notices.append(Notice(event, "like", by, int(author), one, keys.liked(by), one, own=True))
    tell(context, notices)


def boosts(context: Context, events: Sequence[Event]) -> None:
    """Boosts tell the author of the status; those that are taken back cease to."""
    notices = []
    for event in events:
        if told := told_by(event):
            truth = (keys.boosts(told.by), member_of(told.status, told.author))
            notices.append(Notice(event, "boost", told.by, told.author, told.status, *truth, own=True))
    tell(context, notices)


def follows(context: Context, events: Sequence[Event]) -> None:
    """Follows tell who is followed; those that end cease to."""
    pairs = [(event, int(event.data["uid"]), int(event.data["target"])) for event in events]
    tell(context, [Notice(event, "follow", by, to, NONE, keys.following(by), to) for event, by, to in pairs])


def polls(context: Context, events: Sequence[Event]) -> None:
    """Polls that ended tell who asked and who voted. There may be many, so streams do not wait for this."""
    for event in events:
        tell(context, [_of_status(event, "poll", int(event.data["author"]))])
        cursor = "0"
        while True:
            cursor, flat = context.db.run(("HSCAN", keys.votes(int(event.data["id"])), cursor, "COUNT", BATCH))
            tell(context, [_of_status(event, "poll", int(uid)) for uid in flat[::2]])
            context.beat()
            if str(cursor) == "0":
                break


def late_votes(context: Context, events: Sequence[Event]) -> None:
    """Votes that were counted when it had been told already that their poll ended tell it to those who gave them. One
    trip, and those of `tell` where there are any. After the vote is mirrored: whoever ends the poll later finds it.
    """
    asked = ((keys.ending(partition_of(int(event.data["id"]))), event.data["id"]) for event in events)
    running = context.db.trip(*(("ZSCORE", *one) for one in asked))
    over = [event for event, ends in zip(events, running, strict=True) if ends is None]
    tell(context, [_of_status(event, "poll", int(event.data["uid"])) for event in over])


def requests(context: Context, events: Sequence[Event]) -> None:
    """Requests tell who is asked; those that are answered or taken back cease to."""
    asked = [event for event in events if event.type != "followed" or "asked" in event.data]
    pairs = [(event, int(event.data["uid"]), int(event.data["target"])) for event in asked]
    tell(context, [Notice(event, "request", by, to, NONE, keys.requested(by), to) for event, by, to in pairs])


def statuses_gone(context: Context, events: Sequence[Event]) -> None:
    """What others did with a status that is deleted is told no more; nor is whom it named."""
    context.db.trip(*(forget(event, int(event.data["author"]), subject=event.data["id"]) for event in events))
    mentions(context, events)


def blocks(context: Context, events: Sequence[Event]) -> None:
    """Two of whom one blocks the other hear no more of what they did before."""
    pairs = [(event, int(event.data["uid"]), int(event.data["target"])) for event in events]
    truth = context.db.trip(*(("ZSCORE", keys.blocks(uid), target) for _, uid, target in pairs))
    apart = [pair for pair, at in zip(pairs, truth, strict=True) if at]
    context.db.trip(
        *(forget(event, to, by=by) for event, one, other in apart for to, by in ((one, other), (other, one)))
    )


def departures(context: Context, events: Sequence[Event]) -> None:
    """Deleted accounts are told nothing, and nobody is told of them. Whoever is done with is taken off their own list,
    so that a new owner goes on where the last one stopped.
    """
    for event in events:
        uid = int(event.data["uid"])
        context.db.run(forget(event, uid))
        while page := context.db.run(("SRANDMEMBER", keys.told(uid), BATCH)):
            context.db.trip(*(forget(event, int(other), by=uid) for other in page))
            context.db.run(("SREM", keys.told(uid), *page))
            context.beat()


def tell(context: Context, notices: Sequence[Notice]) -> None:
    """Brings the lists of who is told up to what is so by now. Two trips, none without notices."""
    others = [notice for notice in notices if notice.by != notice.to or KINDS[notice.kind].selfish]
    truth = context.db.trip(*map(_vouching, others))
    most = context.config.notifications_max
    context.db.trip(
        *(
            _telling(one, most) if so else forget(one.event, one.to, one.kind, one.by, one.subject)
            for one, so in zip(others, truth, strict=True)
        )
    )


def forget(event: Event, uid: int, kind: str = "", by: int | str = "", subject: int | str = "") -> Command:
    """The command that takes off a member's list all that is of this kind, by this member and about this subject, of
    which any may be left open.
    """
    names = [keys.fences(keys.tag(uid)), keys.notifications(uid), keys.unread(uid)]
    return FORGET(names, *event.fence, uid, kind, by, subject)


def _named(context: Context, events: Sequence[Event]) -> Iterator[tuple[Event, list[int]]]:
    """The events that name members, and who that is: in one trip, none where nobody is named."""
    naming = [event for event in events if event.data.get("mentions")]
    logins = {login for event in naming for login in event.data["mentions"].split()}
    claims = context.db.trip(*(("GET", keys.login(login)) for login in logins))
    owners = {login: int(claim.partition(":")[0]) for login, claim in zip(logins, claims, strict=True) if claim}
    for event in naming:
        yield event, [owners[login] for login in event.data["mentions"].split() if login in owners]


def _mentions(event: Event, uids: Sequence[int]) -> Iterator[Notice]:
    # Who hears of the reply or the quote need not be told that it names them.
    heard = {int(event.data.get("to") or 0), _quoted(event)}
    return (_of_status(event, "mention", uid) for uid in uids if uid not in heard)


def _quoted(event: Event) -> int:
    """Whom a status tells that it quotes them; 0 for nobody."""
    quoted = int(event.data.get("quoted") or 0)
    limited = Visibility(event.data.get("vis", "")).limited
    return 0 if limited or quoted == int(event.data.get("to") or 0) else quoted


def _of_status(event: Event, kind: str, to: int) -> Notice:
    status_id, author = int(event.data["id"]), int(event.data["author"])
    return Notice(event, kind, author, to, status_id, keys.status(status_id), "")


def _nameless(event: Event) -> bool:
    return "author" not in event.data


def _vouching(notice: Notice) -> Command:
    by = notice.by
    names = [keys.fences(keys.tag(by)), keys.user(by), keys.told(by), notice.truth, keys.followers(by)]
    return VOUCH(names, *notice.event.fence, notice.to, notice.what)


def _telling(notice: Notice, most: int) -> Command:
    uid = notice.to
    lists = [
        build(uid)
        for build in (keys.notifications, keys.unread, keys.following, keys.blocks, keys.blockers, keys.hushed)
    ]
    about = [keys.status(int(notice.subject))] if notice.own else []
    names = [keys.fences(keys.tag(uid)), keys.user(uid), *lists, *about]
    return NOTIFY(names, *notice.event.fence, uid, notice.kind, notice.by, notice.subject, most)

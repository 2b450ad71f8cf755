"""Sync notifications with the actions they are about: add those that hold, remove others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from webapp.accounts import store as accounts
from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store import (
    Command,
    Read,
    Steps,
    ask,
    collect,
    constant,
    do_steps,
    gather,
    read,
    script,
    send_all,
)
from webapp.statuses import (
    Filter,
    FilterSet,
    Visibility,
    filters_of,
    keys as status_keys,
    stored_status,
)
from webapp.statuses.threads.hidden_replies import thread_ids
from webapp.statuses.visibility.groups import memberships

from .kinds import GATHERED, KINDS, PROMPT

VERIFY_SOURCE = script("notifications/lua/verify_source.lua")
NOTIFY = script("notifications/lua/notify.lua")
REMOVE = script("notifications/lua/remove.lua")
PUSH_DELAYS_MS = {PROMPT: 3_000, GATHERED: 60_000}  # later notices go along
BATCH = 500  # members whose lists are changed in one trip
About = tuple[int, int, int]  # recipient, author of a status, id of the status


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
    own_status: int = 0  # the recipient's status that is liked, boosted or quoted
    again: bool = False  # of an edit: one that they have may count as read, none is added

    @property
    def about(self) -> About:
        """Return the recipient, the author, and the id of a status, if it is about one."""
        return self.recipient, self.actor, int(self.subject)


def status_notice(event: Event, kind: str, recipient: int) -> Notice:
    """Return the notice about an event of a status: it holds while the recipient may see that.

    The event has `id` and `author`, and for a closed group `visibility` and `group`; `ancestors`
    of a reply let the recipient's hidden replies count. An edit notifies nobody again.
    """
    status_id, author = event.number("id"), event.number("author")
    source, again = status_keys.status(status_id), event.type == "edited"
    return Notice(event, kind, author, recipient, status_id, source, "", again=again)


def sync_notices(context: Context, notices: Sequence[Notice]) -> None:
    """Add notifications whose action holds, and remove others. None without notices.

    Two trips, and one for recipients with filters.
    """
    do_steps(context.db, sync_notices_in_steps(context, notices))


def sync_notices_in_steps(context: Context, notices: Sequence[Notice]) -> Steps[None]:
    """Add notifications whose action holds, and remove others, in two steps.

    One more if somebody who is notified of a status has filters, and one for closed groups.
    """
    deliverable = [
        notice
        for notice in notices
        if notice.actor != notice.recipient or KINDS[notice.kind].notifies_actor
    ]
    about_others = [notice for notice in deliverable if not notice.source_member and notice.subject]
    recipients = sorted({notice.recipient for notice in about_others})
    in_group = yield from ask(collect(map(_in_closed_group, deliverable)))
    verified = map(_verify_command, deliverable, in_group)
    found, filters = yield from ask(
        gather(
            collect(read(command, int) for command in verified),
            read_filters(recipients),
        )
    )
    hidden = yield from hidden_by_filters({notice.about for notice in about_others}, filters)
    yield from send_all(
        _notify_command(notice, conversation, context.config, hidden)
        if conversation
        else remove_command(
            notice.event, notice.recipient, notice.kind, notice.actor, notice.subject
        )
        for notice, conversation in zip(deliverable, found, strict=True)
    )


def notify_own_command(config: Config, event: Event, kind: str, uid: int, subject: str) -> Command:
    """Return the command that notifies a member of a kind about their own, unless it is there."""
    return _notify_command(Notice(event, kind, uid, uid, subject, "", subject), 1, config, ())


def remove_command(
    event: Event, uid: int, kind: str = "", actor: int | str = "", subject: int | str = ""
) -> Command:
    """Return the command that removes a member's notifications of a kind, actor and subject.

    An empty one matches all. The subject `cid.` matches all messages of a chat.
    """
    return REMOVE(event, uid=uid, kind=kind, actor=actor, subject=subject)


def read_filters(uids: Sequence[int]) -> Read[dict[int, FilterSet]]:
    """Read the filters of notifications that hide statuses, of the members who have any."""

    def parse(found: Sequence[tuple[Filter, ...]]) -> dict[int, FilterSet]:
        pairs = zip(uids, found, strict=True)
        sets = {uid: FilterSet(filters, "notifications", uid) for uid, filters in pairs if filters}
        return {uid: filters for uid, filters in sets.items() if filters.can_hide}

    return collect(map(filters_of, uids)).map(parse)


def hidden_by_filters(
    subjects: Collection[About], filters: Mapping[int, FilterSet]
) -> Steps[set[About]]:
    """Return the subjects that their recipients' filters hide. One step, none without filters."""
    checked = [one for one in subjects if one[0] in filters]
    ids, authors = sorted({one[2] for one in checked}), {one[1] for one in checked}
    found, members = yield from ask(
        gather(collect(map(stored_status, ids)), accounts.get_many(authors))
    )
    statuses = dict(zip(ids, found, strict=True))
    return {
        (recipient, author, status_id)
        for recipient, author, status_id in checked
        if (status := statuses[status_id].with_author(members.get(author)))
        and filters[recipient].hides(status)
    }


def _in_closed_group(notice: Notice) -> Read[bool]:
    """Read whether the recipient is in the closed group of a status. No commands for others."""
    data = notice.event.data
    if notice.source_member or data.get("visibility") != Visibility.GROUP.value:
        return constant(False)
    return memberships(notice.recipient, {int(data.get("group") or 0)}).map(bool)


def _verify_command(notice: Notice, in_group: bool = False) -> Command:
    actor = notice.actor
    return VERIFY_SOURCE(
        notice.event,
        actor=actor,
        source_key=notice.source_key,
        recipient=notice.recipient,
        source_member=notice.source_member,
        in_group="1" if in_group else "",
    )


def _notify_command(
    notice: Notice, conversation: int, config: Config, hidden: Collection[About]
) -> Command:
    uid, lane = notice.recipient, KINDS[notice.kind].lane
    is_hidden = not notice.source_member and notice.about in hidden
    status = status_keys.status(notice.own_status) if notice.own_status else None
    return NOTIFY(
        notice.event,
        status=status,
        uid=uid,
        kind=notice.kind,
        actor=notice.actor,
        subject=notice.subject,
        conversation=conversation,
        limit=config.notifications_max,
        hidden=int(is_hidden),
        again="1" if notice.again else "",
        lane="" if config.web_push == "off" else lane,
        delay=PUSH_DELAYS_MS[lane],
        thread=" ".join(map(str, [] if notice.source_member else thread_ids(notice.event))),
    )

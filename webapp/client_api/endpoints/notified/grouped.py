"""Notifications in groups: those about one status are one entry, and the new followers of a day."""

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec
from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import Account
from webapp.client_api.entities.status import Status
from webapp.client_api.http import Listed, Paged
from webapp.client_api.newer import cut
from webapp.client_api.news import notices
from webapp.client_api.news.notices import GROUPED, NotificationParameters
from webapp.client_api.presentation import present_entries
from webapp.client_api.status_reads.account_reads import accounts_of, listed_accounts
from webapp.core.errors import NotFound
from webapp.core.web import db
from webapp.notifications.entries import Entry
from webapp.notifications.groups import GROUP_MEMBERS_SHOWN
from webapp.notifications.kinds import CLIENT_TYPES

bp = ApiBlueprint("grouped_notifications")
UNREAD_MAX = 1_000  # groups that are counted
MEMBERS_MAX = 200  # of a group who are listed


class GroupParameters(NotificationParameters):
    """Which groups are wanted. `grouped_types`: types that are put together; by default all can be.

    `expand_accounts`: whether all members come in full, or only the newest of each group.
    """

    grouped_types: tuple[str, ...] = ()
    expand_accounts: Literal["full", "partial_avatars"] = "full"

    @property
    def grouped(self) -> frozenset[str]:
        """Return the types that are put together."""
        return GROUPED.intersection(self.grouped_types) if self.grouped_types else GROUPED


class PartialAccount(msgspec.Struct, kw_only=True):
    """As much of a member as is needed to show their picture."""

    id: str
    acct: str
    url: str
    avatar: str
    avatar_static: str
    locked: bool
    bot: bool


class NotificationGroup(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Notifications of one type about the same thing. Their ids are as those of a Notification."""

    group_key: str
    notifications_count: int
    type: str
    most_recent_notification_id: int
    page_min_id: str
    page_max_id: str
    latest_page_notification_at: str
    sample_account_ids: list[str]
    status_id: str | None = None


class GroupedNotifications(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Groups, and the members and statuses that they name."""

    accounts: list[Account]
    statuses: list[Status]
    notification_groups: list[NotificationGroup]
    partial_accounts: list[PartialAccount] | None = None


@bp.declare("GET /api/v2/notifications", "read:notifications")
def index(params: GroupParameters) -> Paged[GroupedNotifications]:
    """Return notifications in groups, the group of the newest first."""
    groups = notices.group(filter(params.includes, _visible()), params.grouped)
    page = cut(groups, params, lambda entries: entries[0].created_us)
    found = _present(page.items, params.grouped)
    if params.expand_accounts == "partial_avatars":
        found = _with_pictures_only(found)
    return Paged(found, page.older, page.newer)


@bp.declare("GET /api/v2/notifications/unread_count", "read:notifications")
def unread(params: GroupParameters, limit: int = 100) -> dict[str, int]:
    """Return how many groups have something that was not seen yet, up to `limit`."""
    unseen = notices.unread_notices(db(), g.viewer.uid)
    groups = notices.group(filter(params.includes, unseen), params.grouped)
    return {"count": max(0, min(len(groups), limit, UNREAD_MAX))}


@bp.declare("GET /api/v2/notifications/<group_key>", "read:notifications")
def show(group_key: str) -> GroupedNotifications:
    """Return one group."""
    grouped = () if group_key.startswith("ungrouped-") else GROUPED
    found = _present([entries] if (entries := _named(group_key)) else [], grouped)
    if not found.notification_groups:
        raise NotFound("no_notification")
    return found


@bp.declare("POST /api/v2/notifications/<group_key>/dismiss", "write:notifications")
def dismiss(group_key: str) -> None:
    """Remove the notifications of a group."""
    notices.remove(db(), g.viewer.uid, _named(group_key))


@bp.declare("GET /api/v2/notifications/<group_key>/accounts", "read:notifications")
def members(group_key: str) -> Listed[Account]:
    """Return the members of a group, the newest first."""
    entries = _named(group_key)[:MEMBERS_MAX]
    return Listed(listed_accounts(entry.actor for entry in entries))


def _visible() -> list[Entry]:
    return notices.visible_notices(db(), g.viewer.uid)


def _named(key: str) -> list[Entry]:
    """Return the notifications of a group, newest first. `key` may name a single one."""
    keys_of = notices.group_key
    return [entry for entry in _visible() if key in (keys_of(entry), keys_of(entry, ()))]


def _present(groups: Sequence[Sequence[Entry]], grouped: Collection[str]) -> GroupedNotifications:
    """Return groups of a page whose status, if they are about one, may still be seen."""
    uid = g.viewer.uid
    subjects = {one[0]: subject for one in groups if (subject := notices.subject_of(one[0], uid))}
    statuses = present_entries(subjects.values(), "notifications")
    shown = [one for one in groups if one[0] not in subjects or one[0].subject in statuses]
    actors = {one[0]: dict.fromkeys(entry.actor for entry in one) for one in shown}
    samples = {newest: list(uids)[:GROUP_MEMBERS_SHOWN] for newest, uids in actors.items()}
    accounts = db().read(accounts_of(uid for uids in samples.values() for uid in uids))
    oldest_us = groups[-1][0].created_us if groups else 0
    presented = [
        _group(one, notices.group_key(one[0], grouped), sample, oldest_us)
        for one in shown
        if (sample := [uid for uid in samples[one[0]] if uid in accounts])
    ]
    named = {int(one.status_id) for one in presented if one.status_id}
    return GroupedNotifications(
        accounts=list(accounts.values()),
        statuses=[statuses[status_id] for status_id in sorted(named)],
        notification_groups=presented,
    )


def _group(
    entries: Sequence[Entry], key: str, sample: Sequence[int], oldest_us: int
) -> NotificationGroup:
    """Return a group. `oldest_us`: where its page ends, in unix µs."""
    newest = entries[0]
    on_page = [entry for entry in entries if entry.created_us >= oldest_us]
    return NotificationGroup(
        group_key=key,
        notifications_count=len(entries),
        type=CLIENT_TYPES[newest.kind.name],
        most_recent_notification_id=newest.created_us,
        page_min_id=str(on_page[-1].created_us),
        page_max_id=str(newest.created_us),
        latest_page_notification_at=notices.noted_at(newest),
        sample_account_ids=[str(uid) for uid in sample],
        status_id=str(newest.subject) if newest.subject else None,
    )


def _with_pictures_only(found: GroupedNotifications) -> GroupedNotifications:
    """Return groups in which only the newest member of each is in full."""
    newest = {one.sample_account_ids[0] for one in found.notification_groups}
    partial = [
        PartialAccount(**{name: getattr(one, name) for name in PartialAccount.__struct_fields__})
        for one in found.accounts
        if one.id not in newest
    ]
    full = [one for one in found.accounts if one.id in newest]
    return msgspec.structs.replace(found, accounts=full, partial_accounts=partial)

"""The subscription changes that each type of event brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from webapp.streaming.log.entries import LogEntry
from webapp.streaming.log.messages import SubscriptionChange

Event = Mapping[str, str]
ChangesOf = Callable[[Event], list[SubscriptionChange]]


def changes_for(entry: LogEntry) -> list[SubscriptionChange]:
    """Return the changes that an entry brings."""
    build = CHANGES.get(entry.type)
    return build(entry.event) if build else []


def _followed(event: Event) -> list[SubscriptionChange]:
    return [SubscriptionChange("followed", int(event["uid"]), int(event["target"]))]


def _unfollowed(event: Event) -> list[SubscriptionChange]:
    return [SubscriptionChange("unfollowed", int(event["uid"]), int(event["target"]))]


def _tags_changed(event: Event) -> list[SubscriptionChange]:
    return [SubscriptionChange("tags_changed", int(event["uid"]))]


def _recheck(event: Event) -> list[SubscriptionChange]:
    return [SubscriptionChange("recheck", int(event["uid"]))]


def _recheck_both(event: Event) -> list[SubscriptionChange]:
    return [SubscriptionChange("recheck", int(event[name])) for name in ("uid", "target")]


def _all_lists_changed(event: Event) -> list[SubscriptionChange]:
    return [SubscriptionChange("list_changed", int(event["uid"]))]


def _account_gone(event: Event) -> list[SubscriptionChange]:
    return _recheck(event) + _all_lists_changed(event)


def _list_changed(event: Event) -> list[SubscriptionChange]:
    change = SubscriptionChange("list_changed", int(event["uid"]), int(event["list"]))
    return [change, *_recheck(event)]


def _quote_detached(event: Event) -> list[SubscriptionChange]:
    return [SubscriptionChange("quote_detached", int(event["author"]), int(event["quote_id"]))]


CHANGES: dict[str, ChangesOf] = {
    "followed": _followed,
    "unfollowed": _unfollowed,
    "tags_changed": _tags_changed,
    "signed_out": _recheck,
    "muted": _recheck,
    "unmuted": _recheck,
    "boosts_hidden": _recheck,
    "boosts_shown": _recheck,
    "blocked": _recheck_both,
    "unblocked": _recheck_both,
    "suspended": _account_gone,
    "account_deleted": _account_gone,
    "protected": _all_lists_changed,
    "list_member_added": _list_changed,
    "list_member_removed": _list_changed,
    "list_changed": _list_changed,
    "list_deleted": _list_changed,
    "quote_detached": _quote_detached,
}

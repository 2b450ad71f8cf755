"""The subscription changes that each type of event brings."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .entries import LogEntry
from .messages import SubscriptionChange

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


CHANGES: dict[str, ChangesOf] = {
    "followed": _followed,
    "unfollowed": _unfollowed,
    "retagged": _tags_changed,
    "signed_out": _recheck,
    "muted": _recheck,
    "unmuted": _recheck,
    "blocked": _recheck_both,
    "unblocked": _recheck_both,
    "suspended": _account_gone,
    "removed": _account_gone,
    "protected": _all_lists_changed,
    "listed": _list_changed,
    "unlisted": _list_changed,
    "list_changed": _list_changed,
    "list_gone": _list_changed,
}

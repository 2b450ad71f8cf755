"""The subscription changes that each type of event brings."""

from __future__ import annotations

from webapp.streaming.log.entries import LogEntry
from webapp.streaming.log.messages import ChangeKind, SubscriptionChange

# Its kind, and the fields of the event that have its numbers.
Change = tuple[ChangeKind, *tuple[str, ...]]
RECHECK: Change = ("recheck", "uid")
ALL_LISTS: Change = ("list_changed", "uid")
ONE_LIST: Change = ("list_changed", "uid", "list")
CHANGES: dict[str, tuple[Change, ...]] = {
    "followed": (("followed", "uid", "target"),),
    "unfollowed": (("unfollowed", "uid", "target"),),
    "tags_changed": (("tags_changed", "uid"),),
    **dict.fromkeys(
        ("signed_out", "muted", "unmuted", "boosts_hidden", "boosts_shown"), (RECHECK,)
    ),
    **dict.fromkeys(("blocked", "unblocked"), (RECHECK, ("recheck", "target"))),
    **dict.fromkeys(("suspended", "account_deleted"), (RECHECK, ALL_LISTS)),
    "protected": (ALL_LISTS,),
    **dict.fromkeys(
        ("list_member_added", "list_member_removed", "list_changed", "list_deleted"),
        (ONE_LIST, RECHECK),
    ),
    "quote_detached": (("quote_detached", "author", "quote_id"),),
}


def changes_for(entry: LogEntry) -> list[SubscriptionChange]:
    """Return the changes that an entry brings."""
    return [
        SubscriptionChange(kind, *(int(entry.event[name]) for name in names))
        for kind, *names in CHANGES.get(entry.type, ())
    ]

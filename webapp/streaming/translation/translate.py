"""Translate log entries into messages and subscription changes."""

from collections.abc import Callable, Sequence

from webapp.core.store import Db
from webapp.statuses.values.visibility import protected_uids
from webapp.streaming.log.entries import BOOST_EVENTS, HYDRATED_EVENTS, LogEntry
from webapp.streaming.log.messages import ChangeKind, LogItem, Message, SubscriptionChange
from webapp.streaming.log.position import api_json, format_sse
from webapp.streaming.serializers import notices

from . import boost_messages, status_messages
from .related_reads import Batch, load_related
from .status_messages import restricted_message

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


def hide(entry: LogEntry, _: Batch) -> Message:
    """Return the message that hides everything of an account."""
    sse = format_sse(entry.position, "hide", {"account": entry.event["uid"]})
    body = notices.hide_json(entry.type, entry.author, entry.position.ms)
    return Message(entry.position, "hide", entry.author, 0, sse, api_json(entry.position, body))


def protect(entry: LogEntry, _: Batch) -> Message:
    """Return the message that only followers see the author's statuses from now on."""
    sse = format_sse(entry.position, "hide", {"account": entry.event["uid"], "followers": True})
    body = notices.hide_json(entry.type, entry.author, entry.position.ms)
    return Message(entry.position, "protect", entry.author, 0, sse, api_json(entry.position, body))


def scrub(entry: LogEntry, _: Batch) -> Message | None:
    """Return the message that places of older statuses are removed; None without public ones."""
    up_to = int(entry.event["up_to"])
    if not up_to:
        return None
    body = notices.scrub_geo_json(entry.author, up_to)
    return Message(entry.position, "scrub", entry.author, 0, b"", api_json(entry.position, body))


def filters(entry: LogEntry, _: Batch) -> Message:
    """Return the message that a member's filters have changed, for the member's apps."""
    uid = int(entry.event["uid"])
    return Message(entry.position, "filters", uid, 0, b"", recipient=uid)


def lost(entry: LogEntry, batch: Batch) -> Message | None:
    """Return the message that takes a protected author's posts off a former follower's pages."""
    if entry.author not in batch.protected_uids:
        return None
    sse = format_sse(entry.position, "hide", {"account": entry.event["target"]})
    body = api_json(entry.position, notices.hide_json("protected", entry.author, entry.position.ms))
    return Message(entry.position, "lost", entry.author, 0, sse, body, recipient=entry.recipient)


Build = Callable[[LogEntry, Batch], Message | None]
MESSAGES: dict[str, Build] = {
    "posted": status_messages.update,
    "edited": status_messages.edit,
    "deleted": status_messages.delete,
    "boosted": boost_messages.boost,
    "unboosted": boost_messages.unboost,
    "voted": status_messages.tally,
    "poll_ended": status_messages.tally,
    "counted": status_messages.counts,
    "card_changed": status_messages.card,
    "suspended": hide,
    "account_deleted": hide,
    "protected": protect,
    "locations_removed": scrub,
    "unfollowed": lost,
    "filter_saved": filters,
    "filter_deleted": filters,
}


def translate(db: Db, entries: Sequence[LogEntry], site_url: str) -> list[LogItem]:
    """Return the messages of entries, in their order. `site_url`: the address of the pages.

    A status that is gone or hidden meanwhile gets no message: its `delete` or `hide` follows. Five
    trips at most.
    """
    hydrated = [entry for entry in entries if entry.type in HYDRATED_EVENTS]
    boosters = [entry.author for entry in hydrated if entry.type in BOOST_EVENTS]
    related = load_related(db, [entry.shown_status for entry in hydrated], boosters)
    protected = protected_uids(db, (entry.author for entry in entries if entry.recipient))
    batch = Batch(related, protected, site_url)
    return [item for entry in entries for item in _items(entry, batch)]


def _items(entry: LogEntry, batch: Batch) -> list[LogItem]:
    if _is_restricted(entry, batch):
        message = restricted_message(entry, batch)
        return [message] if message else []
    build = MESSAGES.get(entry.type)
    message = build(entry, batch) if build else None
    return [*([message] if message else []), *changes_for(entry)]


def _is_restricted(entry: LogEntry, batch: Batch) -> bool:
    """Return True if the status was not for everybody as it was logged, or is not now."""
    if entry.is_restricted or entry.type not in HYDRATED_EVENTS - BOOST_EVENTS:
        return entry.is_restricted
    status = batch.status(entry)
    return status is not None and status.visibility.restricted


def changes_for(entry: LogEntry) -> list[SubscriptionChange]:
    """Return the changes that an entry brings."""
    return [
        SubscriptionChange(kind, *(int(entry.event[name]) for name in names))
        for kind, *names in CHANGES.get(entry.type, ())
    ]

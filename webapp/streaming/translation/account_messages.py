"""Messages about all statuses of an author."""

from __future__ import annotations

from webapp.streaming.log.entries import LogEntry
from webapp.streaming.log.messages import Message
from webapp.streaming.log.position import api_json, format_sse
from webapp.streaming.serializers import notices

from .related_reads import Batch


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

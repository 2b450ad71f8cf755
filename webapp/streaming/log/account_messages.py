"""Messages about all statuses of an author."""

from __future__ import annotations

from webapp.streaming.api_v1.serializers import notices

from .encoding import api_json, format_sse
from .entries import LogEntry
from .messages import Message
from .status_messages import Batch


def hide(entry: LogEntry, _: Batch) -> Message:
    """Return that nothing of an account is shown any more."""
    sse = format_sse(entry.position, "hide", {"account": entry.event["uid"]})
    body = notices.hide_json(entry.type, entry.author, entry.position.ms)
    return Message(entry.position, "hide", entry.author, 0, sse, api_json(entry.position, body))


def protect(entry: LogEntry, _: Batch) -> Message:
    """Return that only followers see the author's statuses from now on."""
    sse = format_sse(entry.position, "hide", {"account": entry.event["uid"], "followers": True})
    body = notices.hide_json(entry.type, entry.author, entry.position.ms)
    return Message(entry.position, "protect", entry.author, 0, sse, api_json(entry.position, body))


def scrub(entry: LogEntry, _: Batch) -> Message:
    """Return that the author removed the places of older statuses."""
    body = notices.scrub_geo_json(entry.author, int(entry.event["up_to"]))
    return Message(entry.position, "scrub", entry.author, 0, b"", api_json(entry.position, body))


def lost(entry: LogEntry, batch: Batch) -> Message | None:
    """Return what takes a protected author off the pages of a member who followed them."""
    if entry.author not in batch.protected_uids:
        return None
    sse = format_sse(entry.position, "hide", {"account": entry.event["target"]})
    return Message(entry.position, "lost", entry.author, 0, sse, recipient=entry.recipient)

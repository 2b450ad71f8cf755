"""The JSON of messages other than statuses, and removing what statuses may no longer show."""

from collections.abc import Iterator
from typing import Any

from webapp.streaming.end_codes import EndCode

from .statuses import NO_PLACE

DISCONNECT_REASONS = {
    EndCode.SHUTDOWN: "Shutdown",
    EndCode.DUPLICATE: "Duplicate stream",
    EndCode.STALLED: "Stall",
    EndCode.REVOKED: "Token revoked",
    EndCode.REPLACED: "Admin logout",
    EndCode.SHED: "Shed load",
}
HIDE_NAMES = {
    "suspended": "user_suspend",
    "protected": "user_protect",
    "account_deleted": "user_delete",
}
INNER = ("retweeted_status", "quoted_status")  # statuses inside a status
QUOTE = ("quoted_status", "quoted_status_permalink")


def delete_json(status_id: int, uid: int, ms: int) -> dict[str, Any]:
    """Return the notice of a deleted status."""
    ids = {"id": status_id, "id_str": str(status_id), "user_id": uid, "user_id_str": str(uid)}
    return {"delete": {"status": ids, "timestamp_ms": str(ms)}}


def hide_json(event: str, uid: int, ms: int) -> dict[str, Any]:
    """Return the notice of a suspended, protected or removed account, by the type of the event.

    It must no longer be shown.
    """
    return {HIDE_NAMES[event]: {"id": uid, "id_str": str(uid), "timestamp_ms": str(ms)}}


def scrub_geo_json(uid: int, up_to: int) -> dict[str, Any]:
    """Return the notice that a member removed the places of all statuses up to one."""
    ids = {
        "user_id": uid,
        "user_id_str": str(uid),
        "up_to_status_id": up_to,
        "up_to_status_id_str": str(up_to),
    }
    return {"scrub_geo": ids}


def limit_json(undelivered: int, ms: int) -> dict[str, Any]:
    """Return how many messages were not delivered since the connection began."""
    return {"limit": {"track": undelivered, "timestamp_ms": str(ms)}}


def warning_json(percent_full: int) -> dict[str, Any]:
    """Return the notice that the client lags behind."""
    message = (
        "You read too slowly. "
        "Messages are queued for you; the stream closes when the queue is full."
    )
    return {"warning": {"code": "FALLING_BEHIND", "message": message, "percent_full": percent_full}}


def disconnect_json(code: EndCode, stream: str) -> dict[str, Any]:
    """Return the notice that the stream ends, and why."""
    reason = DISCONNECT_REASONS[code]
    return {"disconnect": {"code": int(code), "stream_name": stream, "reason": reason}}


def remove_quote(message: dict[str, Any]) -> None:
    """Remove the quoted status from a message, which still names it by its id."""
    for status in _statuses(message):
        for name in QUOTE:
            status.pop(name, None)


def remove_places_of(author: int, message: dict[str, Any]) -> None:
    """Remove the places of an author's statuses from a message."""
    for status in _statuses(message):
        if status.get("user", {}).get("id") == author:
            status.update(NO_PLACE)


def _statuses(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a status and those inside it."""
    yield message
    for name in INNER:
        if name in message:
            yield from _statuses(message[name])

"""Reports of what pages showed: signed, so that only its reader reports a showing, and in time."""

import time
from base64 import urlsafe_b64encode
from hashlib import blake2b, sha256
from hmac import compare_digest, digest

from webapp.config import Config
from webapp.core.store import Command, script
from webapp.core.store.caches.recording import changes_at

COUNT = script("rewards/promotions/lua/count.lua")
SAME_SECONDS = 300  # for which a page of a reader keeps its promotion, so that it can be kept
WINDOWS_VALID = 12  # of SAME_SECONDS, in which a page may report what it shows
SIGNATURE_SIZE = 22  # characters, 132 bits


def present_window() -> int:
    """Return the present span of SAME_SECONDS."""
    window = int(time.time() // SAME_SECONDS)
    changes_at((window + 1) * SAME_SECONDS)
    return window


def showing_of(settings: Config, uid: int, status_id: int, window: int, details: str) -> str:
    """Return the report that a reader's page sends back. `details`: as `count.lua` takes them."""
    payload = f"{status_id} {window} {details}"
    return f"{_sign(settings, uid, payload)} {payload}"


def view_of(settings: Config, uid: int, showing: str) -> Command | None:
    """Return the command that counts what a page reports as seen.

    None if it was not shown to this reader, or too long ago.
    """
    signature, _, payload = showing.partition(" ")
    if not compare_digest(signature.encode(), _sign(settings, uid, payload).encode()):
        return None
    status_id, window, details = payload.split(" ", 2)
    if int(window) < present_window() - WINDOWS_VALID:
        return None
    return counting(settings, uid, int(status_id), "views", details)


def counting(settings: Config, uid: int, status_id: int, what: str, details: str = "") -> Command:
    """Return the command that counts views, clicks or actions of a reader."""
    viewer = blake2b(
        f"{uid} {status_id}".encode(),
        key=settings.secret_key.encode()[:64],
        digest_size=12,
        person=b"linnet promoted",
    ).hexdigest()
    return COUNT(id=status_id, viewer=viewer, what=what, details=details)


def _sign(settings: Config, uid: int, payload: str) -> str:
    message = f"linnet showing {uid} {payload}".encode()
    code = digest(settings.secret_key.encode(), message, sha256)
    return urlsafe_b64encode(code)[:SIGNATURE_SIZE].decode()

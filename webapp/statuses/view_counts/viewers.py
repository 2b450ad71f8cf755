"""Tell apart the people who see or open posts, without cookies, and leave out programs.

A viewer is a keyed hash: of a member's uid, or of a visitor's network on one day. The key is the
site's secret, so nobody who reads the store can try addresses against it.
"""

import re
from datetime import UTC, datetime
from hashlib import blake2b

from flask import current_app, g, request

from webapp.core.metrics import recorder
from webapp.core.net.countries import country_of
from webapp.core.net.proxies import client_network
from webapp.core.web import config
from webapp.statuses.reading_history.store import note_viewed
from webapp.statuses.status import Status

from .store import ViewBatch

BOT_PATTERN = re.compile(  # CUBOT makes phones
    r"(?<!\bcu)bot|crawl|spider|slurp|preview|fetch|scan|monitor|headless|curl|wget|python|java/|go-http|http",
    re.IGNORECASE,
)


def count_views(status_ids: list[int]) -> None:
    """Note that the sender of this request saw statuses, unless it is a program. No trip."""
    if g.viewer:
        member = _hash(f"member {g.viewer.uid}")
        current_batch().add(status_ids, g.viewer.uid, member)
        _visit(member)
    elif not is_program():
        network, day = client_network(), datetime.now(UTC).date()
        # Visitors of one network count once a day.
        current_batch().add(status_ids, 0, _hash(f"visitor {day} {network}"))
        _visit(_hash(f"visitor {network}"))


def _visit(person: str) -> None:
    """Count somebody among the people who looked at posts, unless their browser asks not to."""
    if "1" not in (request.headers.get("DNT"), request.headers.get("Sec-GPC")):
        country = country_of(config(), request.remote_addr or "")
        recorder.RECORDER.visit(person, country)


def is_program() -> bool:
    """Return True for a request without a language, which every browser sends."""
    agent = request.headers.get("User-Agent", "")
    if not agent or BOT_PATTERN.search(agent):
        return True
    return "Accept-Language" not in request.headers


def current_batch() -> ViewBatch:
    """Return the batch of views that this process collects."""
    batch: ViewBatch = current_app.extensions["linnet.views"]
    return batch


def _hash(text: str) -> str:
    key = config().secret_key.encode()[:64]
    return blake2b(text.encode(), key=key, digest_size=12, person=b"linnet views").hexdigest()


def note_opened(viewer_uid: int, status: Status) -> None:
    """Count a view of a post, and keep it for the viewer if they want that. No trip."""
    count_views([status.id])
    if viewer_uid != status.author.uid:
        current_batch().add_command(note_viewed(viewer_uid, status.id))

"""Edited posts and their versions."""

import re
from html import unescape

from flask.testing import FlaskClient

from webapp.core.store import Db
from webapp.statuses.edits import editing


def version_texts(db: Db, status_id: int, viewer: int | None = None) -> list[tuple[str, str]]:
    """Return text and warning of every version in the history, newest first."""
    return [
        (version.text, version.cw) for version in editing.history(db, status_id, viewer).versions
    ]


def post_status(ann: FlaskClient, text: str = "first", **form: str) -> str:
    """Post a status and return its path."""
    assert ann.post("/statuses", data={"text": text, **form}).status_code == 303
    return re.findall(r'class="status-time" href="([^"]+)"', ann.get("/home").text)[0]


def status_texts(page: str) -> list[str]:
    """Return the texts of the statuses on a page."""
    return [
        unescape(re.sub(r"<[^>]+>", "", body))
        for body in re.findall(r'class="status-body"[^>]*>(.*?)</p>', page, re.S)
    ]


def version_bodies(page: str) -> list[str]:
    """Return the texts of the versions on the page of a history, without what was removed."""
    kept = re.sub(r"<del>.*?</del>", "", page)
    return status_texts(re.sub(r'<bdi class="visually-hidden">.*?</bdi>', "", kept))

"""Parse and format the cursors of threads: the path from a status down to the last one shown."""

from __future__ import annotations

from webapp.core.errors import Invalid
from webapp.core.store.ids import parse_id

from .replies import DEPTH_MAX, ThreadPath


def parse_cursor(raw: str | None) -> ThreadPath:
    """Parse the cursor of a thread in an address. Raises Invalid."""
    if raw is None:
        return ()
    steps = [step.partition(".") for step in raw.split("-")]
    path = tuple(
        (parse_id(status_id) or 0, parse_id(author) or 0) for status_id, _, author in steps
    )
    if len(path) > DEPTH_MAX or not all(map(all, path)):
        raise Invalid("bad_cursor")
    return path


def format_cursor(path: ThreadPath) -> str:
    """Return the cursor of the descendants after a path."""
    return "-".join(f"{status_id}.{author}" for status_id, author in path)

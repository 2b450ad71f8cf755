"""Find addresses of this site's statuses in texts: the first in a new status becomes a quote."""

import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import SplitResult, urlsplit

from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Steps, parse_id
from webapp.core.text.parser import Entity, Parsed, href
from webapp.statuses.visibility.targets import quotable

STATUS_PATH = re.compile(r"/@[A-Za-z0-9_]{1,15}/([0-9]{1,16})/?\Z")


def find_linked_status(entities: Iterable[Entity], host: str) -> int | None:
    """Return the id of the first status of this site that a text links to. `host`: of its pages."""
    for entity in entities:
        parts = split_link(entity.text) if entity.kind == "url" else None
        match = STATUS_PATH.match(parts.path) if parts else None
        if parts and match and parts.netloc.lower() == host.lower():
            return parse_id(match[1])
    return None


def split_link(url: str) -> SplitResult | None:
    """Return the parts of a link's address.

    None if it leads nowhere, such as to a host that normalizes to another.
    """
    try:
        return urlsplit(href(url))
    except ValueError:
        return None


def quote_linked(uid: int, parsed: Parsed, host: str) -> Steps[tuple[Parsed, dict[str, str]]]:
    """Return a new status with the fields of the quote that its first such link makes, if any.

    The status must be one that the member may quote; otherwise it stays a link. At the end of a
    text the link is left out. Two steps, none without such a link.
    """
    linked_id = find_linked_status(parsed.entities, host)
    if linked_id is None:
        return parsed, {}
    try:
        target = yield from quotable(uid, linked_id)
    except (NotFound, Forbidden):
        return parsed, {}
    return _without_last_link(parsed, linked_id, host), quote_fields(linked_id, target.author.uid)


def quote_fields(status_id: int, author_uid: int) -> dict[str, str]:
    """Return the stored fields of a quote."""
    return {"quoted_id": str(status_id), "quoted_uid": str(author_uid)}


def _without_last_link(parsed: Parsed, status_id: int, host: str) -> Parsed:
    *others, last = parsed.entities
    text = parsed.text[: last.start].rstrip()
    is_last = last.end == len(parsed.text) and find_linked_status([last], host) == status_id
    return replace(parsed, text=text, entities=tuple(others)) if is_last and text else parsed

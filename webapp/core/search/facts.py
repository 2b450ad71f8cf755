"""The terms of a text besides its words: names and links in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from webapp.core.text.parser import Entity, href, segments, tag_names

HOST_PARTS_MAX = 5  # of a link: `a.b.example.org` is found by `example.org` too


def without_links(text: str, entities: Iterable[Entity]) -> str:
    """Return a text with a space for each of its links."""
    return "".join(
        " " if entity and entity.kind == "url" else run for run, entity in segments(text, entities)
    )


def entity_facts(entities: Sequence[Entity]) -> Iterable[str]:
    """Yield the terms of the hashtags, members, stocks and links of a text."""
    for name in tag_names(entities):
        yield f"#{name}"
    for entity in entities:
        if entity.kind == "mention":
            yield f"mentions={entity.text.lower()}"
        elif entity.kind == "cashtag":
            yield f"${entity.text.lower()}"
        elif entity.kind == "url":
            yield "has=link"
            yield from (f"url={host}" for host in _hosts(entity.text))


def _hosts(url: str) -> Iterable[str]:
    """Yield the host of a link, without `www`, and the domains that it belongs to."""
    try:
        host = (urlsplit(href(url)).hostname or "").removeprefix("www.")
    except ValueError:
        return
    parts = host.split(".")[-HOST_PARTS_MAX:]
    for start in range(len(parts) - 1):
        yield ".".join(parts[start:])

"""Atom feeds."""

from __future__ import annotations

from xml.etree import ElementTree

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def texts(feed: ElementTree.Element) -> list[str | None]:
    return [
        entry.findtext("a:content", namespaces=ATOM) for entry in feed.iterfind("a:entry", ATOM)
    ]

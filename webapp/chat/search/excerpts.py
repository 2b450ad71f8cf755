"""The part of a long message that is shown among the results."""

from __future__ import annotations

import regex

EXCERPT_MAX = 240  # characters
LEAD = 60  # characters before the first word that was searched for
WORD = regex.compile(r"[\p{L}\p{N}]+")


def excerpt(text: str, query: str) -> str:
    """Return the part of a text around the first word of a query, all of a short one."""
    flat = " ".join(text.split())
    if len(flat) <= EXCERPT_MAX:
        return flat
    folded = flat.casefold()
    places = [folded.find(word) for word in WORD.findall(query.casefold())]
    start = max(min((place for place in places if place >= 0), default=0) - LEAD, 0)
    if start:
        start = flat.find(" ", start, start + LEAD) + 1 or start
    shown = flat[start : start + EXCERPT_MAX]
    end = "…" if start + EXCERPT_MAX < len(flat) else ""
    return f"{'…' if start else ''}{shown}{end}"

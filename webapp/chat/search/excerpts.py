"""The part of a long message that is shown among the results."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.text.folding import fold

EXCERPT_MAX = 240  # characters
LEAD = 60  # characters before the first word that was searched for


def excerpt(text: str, words: Sequence[str]) -> str:
    """Return the part of a text around the first of some words, all of a short one."""
    flat = " ".join(text.split())
    if len(flat) <= EXCERPT_MAX:
        return flat
    start = max(_first_place(flat, words) - LEAD, 0)
    if start:
        start = flat.find(" ", start, start + LEAD) + 1 or start
    excerpt = flat[start : start + EXCERPT_MAX]
    end = "…" if start + EXCERPT_MAX < len(flat) else ""
    return f"{'…' if start else ''}{excerpt}{end}"


def _first_place(text: str, words: Sequence[str]) -> int:
    """Return the place of the first of some words, 0 without any. Case does not matter."""
    folded = [fold(char) for char in text]
    # A folded character may be several: the place in the text of each.
    places = [place for place, chars in enumerate(folded) for _ in chars]
    whole = "".join(folded)
    found = [whole.find(fold(word)) for word in words]
    return min((places[place] for place in found if place >= 0), default=0)

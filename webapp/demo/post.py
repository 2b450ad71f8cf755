"""A planned post."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.statuses.values.places import Place
from webapp.statuses.values.poll import Poll


@dataclass(frozen=True, slots=True)
class Post:
    """A post at a time in unix ms. The author is a place in the list of people.

    `mood`: "good", "bad", "ask", "plain", "poll", "view" or "warned". `reply_to` and `quote` are
    places in the list of posts. `alts`: the description of each picture.
    """

    author: int
    at_ms: int
    text: str
    language: str
    mood: str = "plain"
    reply_to: int | None = None
    quote: int | None = None
    poll: Poll | None = None
    warning: str = ""
    alts: tuple[str, ...] = ()
    place: Place | None = None

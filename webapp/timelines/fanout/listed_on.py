"""The lists that a member is on, in pages, for deliveries to all of them."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.core.store import Read, read
from webapp.lists import keys


@dataclass(frozen=True, slots=True)
class ListedOnPage:
    """Names of lists (`owner:number`). `next`: the bound after which to go on; '' at the end."""

    names: list[str]
    next: str


def listed_on_page(uid: int, after: str, size: int) -> Read[ListedOnPage]:
    """Read the next `size` lists that a member is on, in the order in which they were added.

    Each read resumes after the last score, so none is skipped, whichever come or go. `after`:
    '-inf', or `next` of the page before.
    """
    command = (
        *("ZRANGE", keys.listed_on(uid), after, "+inf", "BYSCORE"),
        *("LIMIT", 0, size, "WITHSCORES"),
    )

    def parse(reply: list[str]) -> ListedOnPage:
        names = reply[::2]
        return ListedOnPage(names, f"({reply[-1]}" if len(names) == size else "")

    return read(command, parse)

"""Lists of items in a cookie of the browser. The store does not have them."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import request

from webapp.core.store import parse_id
from webapp.core.web import Response, unwrap

KEEP_SECONDS = 30 * 86_400
EMPTY = "-"  # of a list that is switched on and has no items yet


@dataclass(frozen=True, slots=True)
class ItemCookie:
    """A cookie with the ids of at most `most` items, the newest first. It lasts KEEP_SECONDS."""

    name: str
    most: int

    @property
    def is_set(self) -> bool:
        """Return True if the browser has it, even without items."""
        return self.name in unwrap(request).cookies

    def ids(self) -> list[int]:
        """Return the items of this browser, each once. Anything else in it is ignored."""
        texts = unwrap(request).cookies.get(self.name, "").split(".")[: self.most]
        found = (parse_id(text) for text in texts)
        return list(dict.fromkeys(one for one in found if one))

    def keep(self, response: Response, ids: Sequence[int]) -> None:
        """Let the browser keep these items, the first `most` of them."""
        response.set_cookie(
            self.name,
            ".".join(map(str, ids[: self.most])) or EMPTY,
            max_age=KEEP_SECONDS,
            httponly=True,
            samesite="Lax",
            secure=unwrap(request).is_secure,
        )

    def add(self, response: Response, item: int) -> None:
        """Put an item in front."""
        self.keep(response, [item, *(one for one in self.ids() if one != item)])

    def forget(self, response: Response) -> None:
        """Remove it from the browser."""
        response.delete_cookie(self.name, samesite="Lax", httponly=True)


SEEN = ItemCookie("linnet_seen", 25)  # off unless the reader switches it on

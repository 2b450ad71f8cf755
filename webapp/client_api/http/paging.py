"""Parameters of a page: its place and its length."""

from typing import Annotated, ClassVar

import msgspec

from webapp.core.store import first_id_at

from .parameters import ID_MAX, Parameters

CURSORS = ("max_id", "since_id", "min_id")
OFFSET_MAX = 200  # of the deepest entry that is searched or ranked
Cursor = Annotated[int, msgspec.Meta(ge=0)]


class Sized(Parameters):
    """How many entries are asked for, 0 for none. `most`: how many a page can have."""

    limit: int = 20
    most: ClassVar[int] = 40

    @property
    def wants_none(self) -> bool:
        """Return True if the page is to be empty."""
        return self.limit == 0

    @property
    def size(self) -> int:
        """Return how many entries the page has at most."""
        return max(1, min(abs(self.limit), self.most))


class Ranked(Sized):
    """A part of a ranking, whose entries have no cursors. `offset`: how many come before it."""

    offset: int = 0

    @property
    def asked(self) -> slice:
        """Return the part that was asked for: an empty one below OFFSET_MAX entries."""
        start = max(0, self.offset)
        return (
            slice(OFFSET_MAX, OFFSET_MAX) if start > OFFSET_MAX else slice(start, start + self.size)
        )


class Paging(Sized):
    """The place and the length of a page.

    `max_id`: entries below it. `since_id`: above it, from the newest. `min_id`: just above it.
    A number larger than any id here is taken for an id of Mastodon, which libraries make of a time.
    """

    max_id: Cursor | None = None
    since_id: Cursor | None = None
    min_id: Cursor | None = None

    def __post_init__(self) -> None:
        for name in CURSORS:
            if (getattr(self, name) or 0) > ID_MAX:
                setattr(self, name, min(self.first_at(getattr(self, name) >> 16), ID_MAX))

    @staticmethod
    def first_at(ms: int) -> int:
        """Return the lowest cursor of a time in unix ms."""
        return first_id_at(ms)

    @property
    def floor(self) -> int | None:
        """Return the id that all entries are above, None without one."""
        return self.since_id if self.min_id is None else self.min_id


class PeoplePaging(Paging):
    """A page of people, or of what they did."""

    limit: int = 40
    most: ClassVar[int] = 80

    @staticmethod
    def first_at(ms: int) -> int:
        """Return the lowest cursor of a time in unix ms: it is in µs here."""
        return ms * 1_000

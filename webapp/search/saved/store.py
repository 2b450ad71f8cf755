"""Save searches, remove and list them. They lie in the member's partition."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.accounts.collections.collection import Collection
from webapp.core.store import Read, Site, read
from webapp.search import keys

SAVED_MAX = 25  # searches of one member
SAVED = Collection(keys.saved_searches, bound=lambda _config: SAVED_MAX, full="SEARCHESFULL")


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A query and the name of the tab that it was saved in."""

    tab: str
    text: str

    @property
    def entry(self) -> str:
        """Return the search as it is stored."""
        return f"{self.tab} {self.text}"

    @classmethod
    def parse(cls, entry: str) -> SavedSearch:
        """Return the search of a stored entry."""
        tab, _, text = entry.partition(" ")
        return cls(tab, text)


def save(site: Site, uid: int, search: SavedSearch) -> bool:
    """Save a search. Return False if it was saved already. One trip.

    Raises Conflict (SAVED_MAX reached), Forbidden (suspended), NotFound.
    """
    return bool(site.db.run(SAVED.add(site.config, uid, search.entry)))


def remove(site: Site, uid: int, search: SavedSearch) -> bool:
    """Remove a saved search. Return False if there was none. One trip."""
    return bool(site.db.run(SAVED.remove(site.config, uid, search.entry)))


def saved_by(uid: int) -> Read[tuple[SavedSearch, ...]]:
    """Read the searches that a member has saved, the latest first."""
    command = ("ZRANGE", keys.saved_searches(uid), 0, -1, "REV")
    return read(command, lambda entries: tuple(map(SavedSearch.parse, entries)))

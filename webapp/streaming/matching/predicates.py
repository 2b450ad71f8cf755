"""Match statuses with the predicates of the filtered stream."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from .terms import Subject, phrase_matches

# Each level leaves out: nothing; sensitive statuses; these and replies.
Level = Literal["none", "low", "medium"]


class Box(NamedTuple):
    """A rectangle of degrees with its edges. west ≤ east: it never crosses the date line."""

    west: float
    south: float
    east: float
    north: float

    def contains(self, point: tuple[float, float]) -> bool:
        """Return True if a latitude and longitude lie in it."""
        latitude, longitude = point
        return self.west <= longitude <= self.east and self.south <= latitude <= self.north


@dataclass(frozen=True, slots=True)
class Predicate:
    """Statuses about any of `phrases`, `follow` or `boxes` that `languages` and `level` allow."""

    phrases: tuple[str, ...] = ()  # normalized and sorted, so that equal predicates are equal
    follow: frozenset[int] = frozenset()  # uids
    boxes: frozenset[Box] = frozenset()
    languages: frozenset[str] = frozenset()  # BCP 47, lower case; empty for all
    level: Level = "none"

    @property
    def empty(self) -> bool:
        """Return True if nothing can ever match."""
        return not (self.phrases or self.follow or self.boxes)

    def matches(self, subject: Subject) -> bool:
        """Return True if the predicate matches a status."""
        return self.allows(subject) and self._is_about(subject)

    def allows(self, subject: Subject) -> bool:
        """Return True if languages and level allow a status, whatever it is about.

        A protected status never is. Any other status whose content is unknown is allowed.
        """
        if subject.protected:
            return False
        if subject.content_unknown:
            return True
        if self.level != "none" and subject.sensitive:
            return False
        if self.level == "medium" and subject.reply_to:
            return False
        return self._allows_language(subject.lang.lower())

    def _is_about(self, subject: Subject) -> bool:
        point = subject.point
        return (
            not self.follow.isdisjoint(involved_uids(subject))
            or (point is not None and any(box.contains(point) for box in self.boxes))
            or any(phrase_matches(phrase, subject.searched) for phrase in self.phrases)
        )

    def _allows_language(self, lang: str) -> bool:
        """Return True if a language is asked for: `en` allows `en-GB`, but not the reverse."""
        if not self.languages:
            return True
        return lang in self.languages or lang.partition("-")[0] in self.languages


def involved_uids(subject: Subject) -> set[int]:
    """Return the uids by which `follow` finds a status.

    These are its author, its boosters, the boosted author, and the member it replies to, but not
    members who are only mentioned.
    """
    return {subject.author, subject.boosted_author, subject.reply_to, *subject.boosters} - {0}

"""What a client of the filtered stream asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from .terms import Subject, phrase_matches

Level = Literal["none", "low", "medium"]


class Box(NamedTuple):
    """A rectangle of degrees; its edges belong to it. west ≤ east: it never crosses the date line."""

    west: float
    south: float
    east: float
    north: float

    def contains(self, point: tuple[float, float]) -> bool:
        """Whether a latitude and longitude lie in it."""
        latitude, longitude = point
        return self.west <= longitude <= self.east and self.south <= latitude <= self.north


@dataclass(frozen=True, slots=True)
class Predicate:
    """Statuses that are about any of `phrases`, `follow` or `boxes`, out of those that `languages` and `level` leave.

    What each level leaves out: `none` nothing, `low` what is marked as sensitive, `medium` replies as well.
    """

    phrases: tuple[
        str, ...
    ] = ()  # each as terms.phrase returns it; sorted, so that equal predicates are equal
    follow: frozenset[int] = frozenset()  # uids
    boxes: frozenset[Box] = frozenset()
    languages: frozenset[str] = frozenset()  # BCP 47, lower case; empty for all
    level: Level = "none"

    @property
    def empty(self) -> bool:
        """Whether nothing could ever match."""
        return not (self.phrases or self.follow or self.boxes)

    def matches(self, subject: Subject) -> bool:
        """Whether this status is asked for."""
        return self.allows(subject) and (
            not self.follow.isdisjoint(involved_uids(subject))
            or (
                subject.point is not None and any(box.contains(subject.point) for box in self.boxes)
            )
            or any(phrase_matches(phrase, subject.searched) for phrase in self.phrases)
        )

    def allows(self, subject: Subject) -> bool:
        """Whether languages and level leave this status, whatever it is about. A protected one is never left, and one
        of which they are not known any more always is.
        """
        if subject.content_unknown:
            return not subject.protected
        if subject.protected or (self.level != "none" and subject.sensitive):
            return False
        return not (self.level == "medium" and subject.reply_to) and self._matches_language(
            subject.lang
        )

    def _matches_language(self, lang: str) -> bool:
        """`en` is met by `en` and by `en-GB`, and `en-GB` by `en-GB` alone."""
        lang = lang.lower()
        return (
            not self.languages or lang in self.languages or lang.partition("-")[0] in self.languages
        )


def involved_uids(subject: Subject) -> set[int]:
    """Those whose followers are told: who wrote or boosted it, and whose status it boosts or replies to. Not who is
    only mentioned.
    """
    return {subject.author, subject.boosted_author, subject.reply_to} - {0}

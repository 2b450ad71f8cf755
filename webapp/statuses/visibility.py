"""How visible a status is: said when it is posted, and never changed; while its author is protected, for followers at
most.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from .. import keys
from ..accounts.store import Member
from ..db import Db
from ..errors import Forbidden
from ..text import Entity


class Visibility(Enum):
    """As it is stored, the widest first. Public: shown everywhere. Unlisted: to all who come to it, on no page that
    shows what everybody writes. Followers: to its author's followers, and to whom it names or answers. Mentioned: to
    these alone. Its author is always shown it.
    """

    PUBLIC = ""
    UNLISTED = "u"
    FOLLOWERS = "f"
    MENTIONED = "m"

    @property
    def limited(self) -> bool:
        """Whether not everybody may see it."""
        return self in (Visibility.FOLLOWERS, Visibility.MENTIONED)

    @property
    def word(self) -> str:
        """What forms call it."""
        return self.name.lower()


ORDER = tuple(Visibility)


def visible(stored: str | None, author: Member) -> Visibility:
    """How visible a status is at this moment, from what is stored of it: what a protected member wrote for everybody is
    for followers alone, and for nobody else whom it names or answers. The one place that says so of a status.
    """
    said = Visibility(stored or "")
    return said if said.limited or not author.protected else Visibility.FOLLOWERS


def of_word(word: str) -> Visibility | None:
    """The one that forms call so; None where nothing is said. Raises ValueError."""
    found = next((one for one in ORDER if one.word == word), None)
    if word and found is None:
        raise ValueError(word)
    return found


def allowed(parent: Visibility) -> tuple[Visibility, ...]:
    """How visible a reply may be: never wider than what it answers, where not everybody may see that."""
    return ORDER[ORDER.index(parent) :] if parent.limited else ORDER


def chosen(wanted: Visibility | None, parent: Visibility | None) -> Visibility:
    """How visible a status is to be; as what it answers, if anything, unless its author says so. Raises Forbidden where
    it may not be.
    """
    visibility = next(one for one in (wanted, parent, Visibility.PUBLIC) if one is not None)
    if parent is not None and visibility not in allowed(parent):
        raise Forbidden("too_visible")
    return visibility


def addressed(db: Db, entities: Iterable[Entity], to: int | None) -> frozenset[int]:
    """The uids of whom a status names by now, and `to`, whose status it answers. One trip, none where it names none."""
    logins = sorted({entity.text.lower() for entity in entities if entity.kind == "mention"})
    claims = db.trip(*(("GET", keys.login(login)) for login in logins))
    return frozenset({to or 0, *(int(claim.partition(":")[0]) for claim in claims if claim)} - {0})


def protected(db: Db, authors: Iterable[int]) -> frozenset[int]:
    """Those of some authors who are protected by now. One trip, none without authors."""
    uids = sorted(set(authors))
    found = db.trip(*(("HEXISTS", keys.user(uid), "protected") for uid in uids))
    return frozenset(uid for uid, is_so in zip(uids, found, strict=True) if is_so)


def pack(named: Iterable[int]) -> str:
    """Whom a status names, as it is stored: uids with a blank around each; nothing for nobody."""
    return "".join(f" {uid}" for uid in sorted(named)) + " " if named else ""


def unpack(stored: str | None) -> frozenset[int]:
    """The uids in their stored form."""
    return frozenset(map(int, (stored or "").split()))

"""Who may reply to a thread: said by who begins it, and never changed. Each reply has a copy of it, so that whoever
holds a status can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .. import keys
from ..db import Command, Db
from ..errors import Forbidden
from ..text import Entity
from .visibility import addressed


class Answerers(Enum):
    """As it is stored: everybody; those whom the thread's author follows; those whom its first post names. The author,
    and whom that post names, always may.
    """

    EVERYBODY = ""
    FOLLOWED = "f"
    MENTIONED = "m"

    @property
    def word(self) -> str:
        """What forms call it."""
        return self.name.lower()


REFUSALS = {Answerers.FOLLOWED: "only_followed", Answerers.MENTIONED: "only_mentioned"}


@dataclass(frozen=True, slots=True)
class Rule:
    """Who may reply to what hangs below a post of `author`, which named these members."""

    who: Answerers = Answerers.EVERYBODY
    author: int = 0
    named: frozenset[int] = frozenset()

    def commands(self, uid: int) -> list[Command]:
        """What to ask in a trip that is made anyway, for `meet`: at most one command."""
        asks = self.who is Answerers.FOLLOWED and uid not in (self.author, *self.named)
        return [("ZSCORE", keys.following(self.author), uid)] if asks else []

    def admits(self, uid: int, replies: Sequence[Any]) -> bool:
        """Whether a member may, by the replies to the commands."""
        always = self.who is Answerers.EVERYBODY or uid in (self.author, *self.named)
        return always or any(score is not None for score in replies)

    def meet(self, admitted: bool) -> None:
        """Raises Forbidden, with the reason, where a member may not."""
        if not admitted:
            raise Forbidden(REFUSALS[self.who])


def of_word(word: str) -> Answerers:
    """The one that forms call so; EVERYBODY where nothing is said. Raises ValueError."""
    found = next((one for one in Answerers if one.word == word), None)
    if word and found is None:
        raise ValueError(word)
    return found or Answerers.EVERYBODY


def ruled(db: Db, uid: int, entities: Iterable[Entity], who: Answerers | None, inherited: str | None) -> str:
    """The rule of a status as it is stored, nothing where everybody may: that of what it answers, if anything
    (`inherited`), else its author's. One trip where that takes names; none for most.
    """
    if inherited is not None:
        return inherited
    if not who or who is Answerers.EVERYBODY:
        return ""
    return " ".join([who.value, str(uid), *map(str, sorted(addressed(db, entities, None) - {uid}))])


def unpack_rule(stored: str | None) -> Rule:
    """The rule in its stored form."""
    if not stored:
        return Rule()
    who, author, *named = stored.split()
    return Rule(Answerers(who), int(author), frozenset(map(int, named)))

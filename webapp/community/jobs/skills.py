"""Skills with levels and years, as offers need them and members have them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.core.search.analyzer import analyze
from webapp.core.search.stems import without_accents
from webapp.core.text.folding import fold

YEARS_MAX = 50
NAME_MAX = 40  # characters
REMOTE = "remote"  # where offers are that are done remotely
NOT_IN_KEYS = re.compile(r"[:{}]")


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill at a level, with years of experience: at least these, where an offer needs it."""

    name: str
    level: int = 1
    years: int = 0

    @property
    def key(self) -> str:
        """Return the name as it is compared, and as it is part of keys."""
        return fold_name(self.name)


def fold_name(name: str) -> str:
    """Return the name of a skill or place without differences of case, form and white space."""
    return " ".join(NOT_IN_KEYS.sub(" ", fold(name)).split())


def place_words(place: str) -> str:
    """Return the words of a place, spaced, without differences of case, form and accents.

    Of Chinese, Japanese and Korean they are the pairs of characters. REMOTE is no place.
    """
    words = analyze((without_accents(fold(place)),), "").terms
    return " ".join(word for word in words if word != REMOTE)


def distinct(skills: Iterable[Skill]) -> tuple[Skill, ...]:
    """Return each skill once. Of one named twice, the higher level counts, and the more years."""
    found: dict[str, Skill] = {}
    for skill in skills:
        other = found.get(skill.key, skill)
        level, years = max(skill.level, other.level), max(skill.years, other.years)
        found[skill.key] = Skill(other.name, level, years)
    return tuple(found.values())


def lacking(needed: Iterable[Skill], owned: Iterable[Skill]) -> tuple[Skill, ...]:
    """Return the needed skills that a member lacks, or has at a lower level or for fewer years."""
    by_key = {skill.key: skill for skill in owned}

    def is_met(skill: Skill) -> bool:
        own = by_key.get(skill.key)
        return own is not None and own.level >= skill.level and own.years >= skill.years

    return tuple(skill for skill in needed if not is_met(skill))


def pack_skills(skills: Sequence[Skill]) -> str:
    """Return skills as JSON, for the store."""
    return json.dumps([(one.key, one.level, one.years, one.name) for one in skills])


def parse_skills(packed: str | None) -> tuple[Skill, ...]:
    """Parse what `pack_skills` has packed; none for None."""
    rows = json.loads(packed or "[]")
    return tuple(Skill(name, level, years) for _, level, years, name in rows)

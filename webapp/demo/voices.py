"""Draw the writing styles of the people of a community."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Voice:
    """A person's writing style. The numbers are probabilities."""

    emoji: float
    tags: float
    afterthought: float
    lowercase: bool  # without capitals
    no_full_stop: bool  # without a full stop at the end
    separate_lines: bool  # with tags and afterthoughts on lines of their own


def draw_voice(rng: Random) -> Voice:
    return Voice(
        emoji=rng.choice((0, 0, 0.03, 0.08, 0.15, 0.4)),
        tags=rng.choice((0, 0.03, 0.1, 0.2, 0.3, 0.55)),
        afterthought=rng.choice((0, 0.05, 0.1, 0.15, 0.25)),
        lowercase=rng.random() < 0.09,
        no_full_stop=rng.random() < 0.4,
        separate_lines=rng.random() < 0.3,
    )

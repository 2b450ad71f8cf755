"""Pictures drawn from a member's id, for those who have not chosen one: a bird of their own in a place of its own."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

HUE_STEPS = 24  # steps of the colour circle


class Identicon(NamedTuple):
    """The colours of a drawn picture (CSS colours), which way the bird looks, and the shape of its hill (SVG path)."""

    sky: str
    hill: str
    body: str
    breast: str
    faces_left: bool
    hill_path: str


HILL_PATHS = (
    "M0 31q10-7 20-2t20-3v14H0z",
    "M0 27q14 0 22 5t18 1v7H0z",
    "M0 34q8-9 18-5t22-5v16H0z",
    "M0 29q20 8 40-3v14H0z",
)


@lru_cache(10_000)
def identicon(uid: int) -> Identicon:
    """The picture of a member id, always the same one."""
    hashed = _hash(uid)
    hue = hashed % HUE_STEPS * 360 // HUE_STEPS
    body = (hue + 150 + (hashed >> 8) % 5 * 15) % 360
    breast = (body + 40 + (hashed >> 16) % 3 * 40) % 360
    return Identicon(
        sky=f"hsl({hue} 52% 84%)",
        hill=f"hsl({(hue + 25) % 360} 34% 70%)",
        body=f"hsl({body} 34% 36%)",
        breast=f"hsl({breast} 68% 62%)",
        faces_left=bool(hashed >> 24 & 1),
        hill_path=HILL_PATHS[(hashed >> 28) % len(HILL_PATHS)],
    )


def _hash(number: int) -> int:
    """A number in which ids that follow each other have nothing in common (the finaliser of SplitMix64)."""
    number = (number + 1) * 0x9E3779B97F4A7C15 % 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31

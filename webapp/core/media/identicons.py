"""Identicons: birds drawn from the ids of members who have not chosen a picture."""

from dataclasses import dataclass
from functools import lru_cache

HUE_STEPS = 24  # steps of the colour circle
HILL_PATHS = (
    "M0 31q10-7 20-2t20-3v14H0z",
    "M0 27q14 0 22 5t18 1v7H0z",
    "M0 34q8-9 18-5t22-5v16H0z",
    "M0 29q20 8 40-3v14H0z",
)


@dataclass(frozen=True, slots=True)
class Identicon:
    """Values for the template: CSS colours, the bird's direction, and the hill's SVG path."""

    sky: str
    hill: str
    body: str
    breast: str
    faces_left: bool
    hill_path: str


@lru_cache(10_000)
def identicon(uid: int) -> Identicon:
    """Return the picture of a member id, always the same one."""
    bits = _hash(uid)
    hue = bits % HUE_STEPS * 360 // HUE_STEPS
    body = (hue + 150 + (bits >> 8) % 5 * 15) % 360
    breast = (body + 40 + (bits >> 16) % 3 * 40) % 360
    return Identicon(
        sky=f"hsl({hue} 52% 84%)",
        hill=f"hsl({(hue + 25) % 360} 34% 70%)",
        body=f"hsl({body} 34% 36%)",
        breast=f"hsl({breast} 68% 62%)",
        faces_left=bool(bits >> 24 & 1),
        hill_path=HILL_PATHS[(bits >> 28) % len(HILL_PATHS)],
    )


def _hash(number: int) -> int:
    """Return 64 bits that have nothing in common for neighbouring ids (SplitMix64's finaliser)."""
    number = (number + 1) * 0x9E3779B97F4A7C15 % 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31

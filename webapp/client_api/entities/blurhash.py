"""Blurhashes: a picture's nine colours as the short text from which apps draw a blurred picture.

See https://blurha.sh. A hash has three components each way, as many as there are colours.
"""

from functools import lru_cache
from itertools import product
from math import copysign, cos, floor, pi

SIDE = 3  # colours, and components, each way
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~"
Colour = tuple[float, ...]  # red, green and blue


@lru_cache(4_096)
def blurhash(colours: str) -> str | None:
    """Return the hash of nine colours, six hex digits each, row by row. None without them."""
    if len(colours) != SIDE * SIDE * 6:
        return None
    pixels = [_linear(colours[at : at + 6]) for at in range(0, len(colours), 6)]
    first, *others = (_component(pixels, x, y) for y, x in product(range(SIDE), repeat=2))
    largest = max(abs(part) for one in others for part in one)
    quantised = max(0, min(82, floor(largest * 166 - 0.5)))
    scale = (quantised + 1) / 166
    size = (SIDE - 1) + (SIDE - 1) * 9
    details = "".join(_digits(_packed_detail(one, scale), 2) for one in others)
    return _digits(size, 1) + _digits(quantised, 1) + _digits(_packed_mean(first), 4) + details


def _component(pixels: list[Colour], x: int, y: int) -> Colour:
    """Return the strength of a wave in each colour, `x` half waves wide and `y` high."""
    waves = [
        cos(pi * x * (column + 0.5) / SIDE) * cos(pi * y * (row + 0.5) / SIDE)
        for row, column in product(range(SIDE), repeat=2)
    ]
    scale = (1 if x == y == 0 else 2) / (SIDE * SIDE)
    return tuple(
        scale * sum(wave * pixel[part] for wave, pixel in zip(waves, pixels, strict=True))
        for part in range(3)
    )


def _packed_mean(colour: Colour) -> int:
    red, green, blue = (_srgb(part) for part in colour)
    return (red << 16) + (green << 8) + blue


def _packed_detail(colour: Colour, scale: float) -> int:
    red, green, blue = (
        max(0, min(18, floor(copysign(abs(part / scale) ** 0.5, part) * 9 + 9.5)))
        for part in colour
    )
    return red * 19 * 19 + green * 19 + blue


def _linear(colour: str) -> Colour:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return tuple(
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )


def _srgb(part: float) -> int:
    bounded = max(0.0, min(1.0, part))
    if bounded <= 0.0031308:
        return int(bounded * 12.92 * 255 + 0.5)
    return int((1.055 * bounded ** (1 / 2.4) - 0.055) * 255 + 0.5)


def _digits(value: int, length: int) -> str:
    return "".join(DIGITS[value // 83**at % 83] for at in reversed(range(length)))

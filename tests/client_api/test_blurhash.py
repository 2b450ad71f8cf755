"""Blurhashes of nine colours: what apps decode is the colours again, nearly."""

from itertools import product
from math import copysign, cos, pi

import pytest

from webapp.client_api.entities.blurhash import DIGITS, blurhash


def decoded(text: str) -> list[list[float]]:
    """Return nine linear colours of a hash, row by row, from the middle of each ninth."""

    def value(start: int, end: int) -> int:
        number = 0
        for digit in text[start:end]:
            number = number * 83 + DIGITS.index(digit)
        return number

    assert value(0, 1) == 20 and len(text) == 22
    scale, mean = (value(1, 2) + 1) / 166, value(2, 6)
    first = [((mean >> shift & 255) / 255) for shift in (16, 8, 0)]
    waves = [[one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in first]]
    for at in range(6, 22, 2):
        parts = (value(at, at + 2) // 361, value(at, at + 2) // 19 % 19, value(at, at + 2) % 19)
        waves.append([copysign(((one - 9) / 9) ** 2, one - 9) * scale for one in parts])
    return [
        [
            sum(
                wave[part] * cos(pi * x * (column + 0.5) / 3) * cos(pi * y * (row + 0.5) / 3)
                for (y, x), wave in zip(product(range(3), repeat=2), waves, strict=True)
            )
            for part in range(3)
        ]
        for row, column in product(range(3), repeat=2)
    ]


def test_one_colour_stays_what_it_is() -> None:
    for red, _, blue in decoded(blurhash("ff0000" * 9) or ""):
        assert red == pytest.approx(1, abs=0.03) and blue == pytest.approx(0, abs=0.03)


def test_the_side_that_is_light_stays_light() -> None:
    rows = decoded(blurhash("000000808080ffffff" * 3) or "")
    assert rows[0][0] < rows[1][0] < rows[2][0]


def test_without_nine_colours_there_is_none() -> None:
    assert blurhash("") is None and blurhash("ff0000") is None

"""Which texts are long: lists show their first lines alone."""

import pytest

from webapp.core.text.weight import is_long


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("w" * 280, False),
        ("鸟" * 140, False),
        ("\n".join("a" * 15), False),
        ("\n".join("a" * 16), True),
        ("w" * 48 * 15, False),
        ("w" * (48 * 15 + 1), True),
        ("鸟" * 24 * 15, False),
        ("鸟" * (24 * 15 + 1), True),
        ("\n".join(["w" * 48] * 15), False),
        ("\n".join(["w" * 49] * 8), True),
        ("\n".join(["w" * 49] * 7), False),
        ("\n" * 14 + "a", False),
        ("\n" * 15, True),
    ],
)
def test_a_text_is_long_from_sixteen_lines_of_forty_eight_letters(
    text: str, expected: bool
) -> None:
    assert is_long(text) is expected

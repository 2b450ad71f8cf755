"""Positions in a chat."""

from typing import Any

import pytest

from webapp.chat.live import hints


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("12:57.80", (57, 80)),
        ("57.80", (57, 80)),
        ("0.0", (0, 0)),
        ("13:57.80", None),
        ("57", None),
        ("57-80", None),
        ("", None),
        ("a.b", None),
        ("²." + "3", None),
        ("1." + "9" * 40, None),
    ],
)
def test_parse_position_accepts_positions_of_its_own_chat(text: str, position: Any) -> None:
    assert hints.parse_position(text, "12") == position

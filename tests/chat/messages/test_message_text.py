"""Emoji and links to statuses in the text of a message."""

import pytest

from webapp.chat.message_text import parse_emoji, parse_message
from webapp.statuses.quotes.links import find_linked_status

LIKE, HEART = "👍", "❤️"


@pytest.mark.parametrize(
    ("text", "emoji"),
    [
        (LIKE, LIKE),
        ("❤", HEART),
        (HEART, HEART),
        (" 👍🏽 ", "👍🏽"),
        ("🇨🇳", "🇨🇳"),
        ("👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦"),
        ("1️⃣", "1️⃣"),
        *((text, None) for text in ("", "x", "👍👍", "👍x", "🇨", "\u200d", "\ufe0f", "x" * 5000)),
    ],
)
def test_parse_emoji_accepts_exactly_one_emoji(text: str, emoji: str | None) -> None:
    assert parse_emoji(text) == emoji


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("see https://linnet.org/@wren/123", 123),
        ("https://LINNET.org/@wren/123/ and https://linnet.org/@wren/9", 123),
        ("https://example.org/@wren/123", None),
        ("https://linnet.org.example.org/@wren/123", None),
        ("https://linnet.org/@wren", None),
        ("https://linnet.org/@wren/123/more", None),
        ("nothing", None),
    ],
)
def test_find_linked_status_recognizes_links_to_this_site(text: str, status: int | None) -> None:
    assert find_linked_status(parse_message(text, 2000).entities, "linnet.org") == status

"""Parsing what members write in chats: a message, or one emoji."""

from functools import cache

import emoji

from webapp.core.text.parser import MAX_CODE_POINTS, Parsed, Unacceptable, parse

QUICK_REACTIONS = ("👍", "❤️", "😂", "🎉", "😮", "😢")  # offered first
EMOJI_LENGTH_MAX = 40  # code points; the longest emoji have ten
EMOJI_VARIATION_SELECTOR = "\ufe0f"  # asks for the coloured form; typed with it or without


def parse_message(text: str, max_length: int, is_required: bool = True) -> Parsed:
    """Return the parsed text of a message. Every character counts one. Raises as `parse`."""
    # A status weighs a character at most twice, so the parser's own limit never comes first.
    parsed = parse(text, 2 * MAX_CODE_POINTS, is_required)
    if len(parsed.text) > max_length:
        raise Unacceptable("too_long", len(parsed.text))
    return parsed


def parse_emoji(text: str) -> str | None:
    """Return the emoji in its fully qualified form, None if the text is not one emoji."""
    text = text.strip()
    if len(text) > EMOJI_LENGTH_MAX:
        return None
    return _emoji_table().get(text.replace(EMOJI_VARIATION_SELECTOR, ""))


@cache
def _emoji_table() -> dict[str, str]:
    """Return all emoji by their text without variation selectors."""
    qualified = (
        sign
        for sign, facts in emoji.EMOJI_DATA.items()
        if facts["status"] == emoji.STATUS["fully_qualified"]
    )
    return {sign.replace(EMOJI_VARIATION_SELECTOR, ""): sign for sign in qualified}

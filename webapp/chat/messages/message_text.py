"""Parsing what members write in chats: a message, one emoji, a link to a status of this site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import SplitResult, urlsplit

import emoji

from webapp.core.store.ids import parse_id
from webapp.core.text.parser import MAX_CODE_POINTS, Entity, Parsed, Unacceptable, href, parse

QUICK_REACTIONS = ("👍", "❤️", "😂", "🎉", "😮", "😢")  # offered first
EMOJI_LENGTH_MAX = 40  # code points; the longest emoji have ten
EMOJI_VARIATION_SELECTOR = "\ufe0f"  # asks for the coloured form; typed with it or without
STATUS_PATH = re.compile(r"/@[A-Za-z0-9_]{1,15}/([0-9]{1,16})/?\Z")


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


def find_linked_status(entities: Iterable[Entity], host: str) -> int | None:
    """Return the id of the first status of this site that a text links to. `host`: of its pages."""
    for entity in entities:
        parts = split_link(entity.text) if entity.kind == "url" else None
        match = STATUS_PATH.match(parts.path) if parts else None
        if parts and match and parts.netloc.lower() == host.lower():
            return parse_id(match[1])
    return None


def split_link(url: str) -> SplitResult | None:
    """Return the parts of a link's address.

    None if it leads nowhere, such as to a host that normalizes to another.
    """
    try:
        return urlsplit(href(url))
    except ValueError:
        return None


@cache
def _emoji_table() -> dict[str, str]:
    """Return all emoji by their text without variation selectors."""
    qualified = (
        sign
        for sign, facts in emoji.EMOJI_DATA.items()
        if facts["status"] == emoji.STATUS["fully_qualified"]
    )
    return {sign.replace(EMOJI_VARIATION_SELECTOR, ""): sign for sign in qualified}

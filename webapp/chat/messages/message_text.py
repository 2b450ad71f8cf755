"""What members write in chats, before it is sent: the text of a message, one emoji, a link to a status of this site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import SplitResult, urlsplit

import emoji

from webapp.core.store.ids import parse_id
from webapp.core.text.parser import MAX_CODE_POINTS, Entity, Parsed, Unacceptable, href, parse

QUICK_REACTIONS = ("👍", "❤️", "😂", "🎉", "😮", "😢")  # the emoji that are offered first
EMOJI_LENGTH_MAX = 40  # code points, of which the longest emoji have ten
EMOJI_VARIATION_SELECTOR = (
    "\ufe0f"  # asks for the coloured form of a sign; typed with it or without, it is the same emoji
)
STATUS_PATH = re.compile(r"/@[A-Za-z0-9_]{1,15}/([0-9]{1,16})/?\Z")


def parse_message(text: str, max_length: int) -> Parsed:
    """The message in `text`, of at most so many characters, each counting one. Raises Unacceptable."""
    parsed = parse(
        text, limit=2 * MAX_CODE_POINTS
    )  # as a status weighs it, which is never more than that
    if len(parsed.text) > max_length:
        raise Unacceptable("too_long", len(parsed.text))
    return parsed


def parse_emoji(text: str) -> str | None:
    """The emoji that `text` is, in its full form, or None when it is anything else."""
    text = text.strip()
    return (
        _emoji_table().get(text.replace(EMOJI_VARIATION_SELECTOR, ""))
        if len(text) <= EMOJI_LENGTH_MAX
        else None
    )


def find_linked_status(entities: Iterable[Entity], host: str) -> int | None:
    """The id of the first status of this site, whose pages are at `host`, that a text links to."""
    for entity in entities:
        if entity.kind == "url":
            parts = split_link(entity.text)
            match = STATUS_PATH.match(parts.path) if parts else None
            if parts and match and parts.netloc.lower() == host.lower():
                return parse_id(match[1])
    return None


def split_link(url: str) -> SplitResult | None:
    """The parts of the address that a link in a text leads to; None where it leads nowhere, such as to a host that is
    another one once its characters are normalised.
    """
    try:
        return urlsplit(href(url))
    except ValueError:
        return None


@cache
def _emoji_table() -> dict[str, str]:
    qualified = (
        sign
        for sign, facts in emoji.EMOJI_DATA.items()
        if facts["status"] == emoji.STATUS["fully_qualified"]
    )
    return {sign.replace(EMOJI_VARIATION_SELECTOR, ""): sign for sign in qualified}

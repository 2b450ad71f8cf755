"""What members write in chats, before it is sent: the text of a message, one emoji, a link to a status of this site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from urllib.parse import SplitResult, urlsplit

import emoji

from ..ids import parse_id
from ..text import MAX_CODE_POINTS, Entity, Parsed, Unacceptable, href, parse

QUICK = ("👍", "❤️", "😂", "🎉", "😮", "😢")  # the emoji that are offered first
EMOJI_MAX = 40  # code points, of which the longest emoji have ten
PRESENTATION = "\ufe0f"  # asks for the coloured form of a sign; typed with it or without, it is the same emoji
STATUS_PATH = re.compile(r"/@[A-Za-z0-9_]{1,15}/([0-9]{1,16})/?\Z")


def parse_message(text: str, most: int) -> Parsed:
    """The message in `text`, of at most so many characters, each counting one. Raises Unacceptable."""
    parsed = parse(text, limit=2 * MAX_CODE_POINTS)  # as a status weighs it, which is never more than that
    if len(parsed.text) > most:
        raise Unacceptable("too_long", len(parsed.text))
    return parsed


def one_emoji(text: str) -> str | None:
    """The emoji that `text` is, in its full form, or None when it is anything else."""
    text = text.strip()
    return _emoji().get(text.replace(PRESENTATION, "")) if len(text) <= EMOJI_MAX else None


def linked_status(entities: Iterable[Entity], host: str) -> int | None:
    """The id of the first status of this site, whose pages are at `host`, that a text links to."""
    for entity in entities:
        if entity.kind == "url":
            parts = link_parts(entity.text)
            match = STATUS_PATH.match(parts.path) if parts else None
            if parts and match and parts.netloc.lower() == host.lower():
                return parse_id(match[1])
    return None


def link_parts(url: str) -> SplitResult | None:
    """The parts of the address that a link in a text leads to; None where it leads nowhere, such as to a host that is
    another one once its characters are normalised.
    """
    try:
        return urlsplit(href(url))
    except ValueError:
        return None


@cache
def _emoji() -> dict[str, str]:
    full = (sign for sign, facts in emoji.EMOJI_DATA.items() if facts["status"] == emoji.STATUS["fully_qualified"])
    return {sign.replace(PRESENTATION, ""): sign for sign in full}

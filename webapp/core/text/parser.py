"""The text of a status: its rules, its weight, and its mentions, tags and URLs.

The rules are those of twitter-text v3: https://github.com/twitter/twitter-text, config/v3.json.
All positions are code points; all lengths of a status are weighted characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from . import rules
from .domains import Span
from .folding import fold
from .urls import find_urls
from .weight import weigh

MAX_CODE_POINTS = 4096  # a longer text is refused unread
TAG_MAX = 100  # code points of a hashtag's name; a longer one is text
TAG_RAW_MAX = 4 * TAG_MAX  # code points of one before it is folded

Kind = Literal["mention", "hashtag", "cashtag", "url"]
Reason = Literal["empty", "too_long", "forbidden", "handle"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A part of a text that is to be linked."""

    kind: Kind
    text: str  # without the sigil; a URL exactly as written
    start: int  # code points, including the sigil
    end: int  # exclusive


@dataclass(frozen=True, slots=True)
class Parsed:
    """A status that may be posted."""

    text: str  # NFC, line ends as \n, without white space around it
    weight: int  # weighted characters
    entities: tuple[Entity, ...]  # in order of start, never overlapping


class Unacceptable(ValueError):
    """A text that is refused. If `reason` is "too_long", `weight` is its length."""

    def __init__(self, reason: Reason, weight: int = 0) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.weight = weight


EMPTY = Parsed("", 0, ())


def parse(text: str, limit: int = 280, is_required: bool = True) -> Parsed:
    """Return the status to store for `text`.

    Raises Unacceptable; "empty" only if a text `is_required`. For a text over MAX_CODE_POINTS, the
    weight of "too_long" is its number of code points, not of weighted characters.
    """
    if len(text) > MAX_CODE_POINTS:
        raise Unacceptable("too_long", len(text))
    text = normalize(text)
    if rules.FORBIDDEN.search(text):
        raise Unacceptable("forbidden")
    if is_blank(text):
        if is_required:
            raise Unacceptable("empty")
        return EMPTY
    text = compact(text)
    urls = list(find_urls(text))
    weighted = weigh(text, urls)
    if weighted > limit:
        raise Unacceptable("too_long", weighted)
    return Parsed(text, weighted, _entities(text, urls))


def is_blank(text: str) -> bool:
    """Return True if a text draws nothing."""
    return not rules.VISIBLE.search(text)


def weight(text: str) -> int:
    """Return how many weighted characters `text` has: a URL 23, an emoji or CJK character 2."""
    text = normalize(text)
    return weigh(text, find_urls(text))


def stored_weight(text: str) -> int:
    """Return the weight of the status that `parse` makes of a text, or with which it refuses it."""
    return len(text) if len(text) > MAX_CODE_POINTS else weight(compact(normalize(text)))


def extract(text: str) -> tuple[Entity, ...]:
    """Return the entities of `text` in order. Of two that overlap, the first one counts."""
    return _entities(text, find_urls(text))


def segments(text: str, entities: Iterable[Entity]) -> Iterator[tuple[str, Entity | None]]:
    """Cut `text` into its plain runs, each with None, and its entities with their texts."""
    position = 0
    for entity in entities:
        if position < entity.start:
            yield text[position : entity.start], None
        yield text[entity.start : entity.end], entity
        position = entity.end
    if position < len(text):
        yield text[position:], None


def href(url: str) -> str:
    """Return the address that a URL entity links to: over https if it has no scheme."""
    return url if re.match("https?://", url, re.I) else f"https://{url}"


def tag_name(raw: str) -> str:
    """Return the folded name of a hashtag, however it is written; "" if it is not valid."""
    return _tag_name(raw) if len(raw) <= TAG_RAW_MAX else ""


@lru_cache(4_096)  # streams, trends, hot posts and the index ask for the same ones
def _tag_name(raw: str) -> str:
    name = fold_tag(raw) if rules.HASHTAG.fullmatch(f"#{raw}") else ""
    return name if len(name) <= TAG_MAX and rules.HASHTAG.fullmatch(f"#{name}") else ""


def fold_tag(raw: str) -> str:
    """Return the name of a hashtag, or the beginning of one, folded. Nothing checks its form."""
    return str(rules.NOT_IN_HASHTAG.sub("", fold(raw)))


def tag_names(entities: Iterable[Entity]) -> tuple[str, ...]:
    """Return the names of the hashtags among `entities`, each once, in order."""
    names = (tag_name(entity.text) for entity in entities if entity.kind == "hashtag")
    return tuple(dict.fromkeys(name for name in names if name))


def normalize(text: str) -> str:
    """Return a text in NFC, with line ends as \\n, and with at most eight marks a letter."""
    composed = unicodedata.normalize("NFC", _LINE_END.sub("\n", text))
    return composed if composed.isascii() else str(rules.EXCESS_MARKS.sub("", composed))


def compact(text: str) -> str:
    """Return a normalised text without white space around it, and with no two empty lines in a row.

    A line that draws nothing is empty.
    """
    return str(rules.BLANK_LINES.sub("\n\n", text)).strip()


def _entities(text: str, urls: Iterable[Span]) -> tuple[Entity, ...]:
    candidates = [Entity("url", text[start:end], start, end) for start, end in urls]
    for kind, sigils, pattern in _SIGIL_PATTERNS:
        if any(sigil in text for sigil in sigils):
            candidates += (
                Entity(kind, tag[1], tag.start(), tag.end(1)) for tag in pattern.finditer(text)
            )
    candidates.sort(key=lambda entity: entity.start)
    entities: list[Entity] = []
    for entity in candidates:
        if not entities or entities[-1].end <= entity.start:
            entities.append(entity)
    return tuple(entities)


_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_SIGIL_PATTERNS: tuple[tuple[Kind, str, Any], ...] = (
    ("mention", "@\uff20", rules.MENTION),
    ("hashtag", "#\uff03", rules.HASHTAG),
    ("cashtag", "$", rules.CASHTAG),
)

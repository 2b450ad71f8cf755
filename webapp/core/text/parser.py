"""The text of a status: what may be posted, how long it counts, and the mentions, tags and URLs in it.

The rules are those of twitter-text v3: https://github.com/twitter/twitter-text, config/v3.json. All positions are code
points, all lengths of a status are weighted characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from . import rules
from . import urls as text_urls

MAX_CODE_POINTS = 4096  # a longer text is refused unread
URL_WEIGHT = 23
EMOJI_WEIGHT = 2
TAG_MAX = 100  # code points of a hashtag's name; a longer one is text

Kind = Literal["mention", "hashtag", "cashtag", "url"]
Reason = Literal["empty", "too_long", "forbidden"]


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

    text: str  # NFC, line ends as \n, outer white space stripped
    weight: int  # weighted characters
    entities: tuple[Entity, ...]  # in order of start, never overlapping


class Unacceptable(ValueError):
    """A text that is refused; `weight` is its length where `reason` is "too_long"."""

    def __init__(self, reason: Reason, weight: int = 0) -> None:
        super().__init__(reason)
        self.reason: Reason = reason
        self.weight = weight


def parse(text: str, limit: int = 280) -> Parsed:
    """Return the status to store for `text`, or raise Unacceptable.

    A text over MAX_CODE_POINTS is "too_long" with its code points, not its weighted characters, as the weight.
    """
    if len(text) > MAX_CODE_POINTS:
        raise Unacceptable("too_long", len(text))
    text = _normalize(text)
    if rules.FORBIDDEN.search(text):
        raise Unacceptable("forbidden")
    if not rules.VISIBLE.search(text):
        raise Unacceptable("empty")
    text = text.strip()
    urls = list(text_urls.find_urls(text))
    weighted = _weigh(text, urls)
    if weighted > limit:
        raise Unacceptable("too_long", weighted)
    return Parsed(text, weighted, _entities(text, urls))


def weight(text: str) -> int:
    """Return how many weighted characters `text` counts once normalised: a URL 23, an emoji 2, a CJK character 2."""
    text = _normalize(text)
    return _weigh(text, text_urls.find_urls(text))


def extract(text: str) -> tuple[Entity, ...]:
    """Return the entities of `text` in order of start; where two overlap, the one that starts first."""
    return _entities(text, text_urls.find_urls(text))


def segments(text: str, entities: Iterable[Entity]) -> Iterator[tuple[str, Entity | None]]:
    """Cut `text` into its plain runs, each with None, and its entities, each with the text it covers."""
    position = 0
    for entity in entities:
        if position < entity.start:
            yield text[position : entity.start], None
        yield text[entity.start : entity.end], entity
        position = entity.end
    if position < len(text):
        yield text[position:], None


def href(url: str) -> str:
    """Return the address that a URL entity's text links to: over https where no scheme is written."""
    return url if re.match("https?://", url, re.I) else f"https://{url}"


def tag_name(raw: str) -> str:
    """Return the name a hashtag goes by, however it is written (NFKC, case folded); empty where it can be none."""
    name = raw if rules.HASHTAG.fullmatch(f"#{raw}") else ""
    for _ in range(2):  # what the first time makes of a few letters folds again
        name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
        name = rules.NOT_IN_HASHTAG.sub("", name)
    return name if len(name) <= TAG_MAX and rules.HASHTAG.fullmatch(f"#{name}") else ""


def tag_names(entities: Iterable[Entity]) -> tuple[str, ...]:
    """Return the names of the hashtags among `entities`, each once, in order."""
    names = (tag_name(entity.text) for entity in entities if entity.kind == "hashtag")
    return tuple(dict.fromkeys(name for name in names if name))


def clean_name(raw: str, limit: int) -> str:
    """Return a line such as a display name: NFC, white space and line breaks folded, controls left out.

    Raise Unacceptable "empty" where nothing visible is left, "too_long" over `limit` code points.
    """
    if len(raw) > MAX_CODE_POINTS:
        raise Unacceptable("too_long", len(raw))
    name = " ".join(unicodedata.normalize("NFC", rules.NOT_IN_NAME.sub("", raw)).split())
    if not rules.VISIBLE.search(name):
        raise Unacceptable("empty")
    if len(name) > limit:
        raise Unacceptable("too_long", len(name))
    return name


def clean_line(raw: str, limit: int) -> str:
    """The same of a line that may be empty. Raise Unacceptable "too_long" over `limit` code points."""
    try:
        return clean_name(raw, limit)
    except Unacceptable as error:
        if error.reason == "empty":
            return ""
        raise


def clean_bio(raw: str, limit: int) -> str:
    """Return a few lines about somebody, perhaps none: NFC, no line of nothing doubled, controls left out.

    Raise Unacceptable "too_long" over `limit` code points.
    """
    if len(raw) > MAX_CODE_POINTS:
        raise Unacceptable("too_long", len(raw))
    lines = rules.NOT_IN_NAME.sub("", _normalize(raw)).split("\n")
    bio = re.sub("\n{3,}", "\n\n", "\n".join(" ".join(line.split()) for line in lines)).strip()
    if len(bio) > limit:
        raise Unacceptable("too_long", len(bio))
    return bio if rules.VISIBLE.search(bio) else ""


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def _weigh(text: str, urls: Iterable[text_urls.Span]) -> int:
    total = position = 0
    for start, end in urls:
        total += _weigh_plain(text[position:start]) + URL_WEIGHT
        position = end
    return total + _weigh_plain(text[position:])


def _weigh_plain(text: str) -> int:
    """The weight of a text without URLs: 2 for an emoji sequence or a heavy character, 1 for a light one."""
    if text.isascii():
        return len(text)
    rest, sequences = _without_emoji_sequences(text)
    return sequences * EMOJI_WEIGHT + len(rest) + len(rules.LIGHT.sub("", rest))


def _without_emoji_sequences(text: str) -> tuple[str, int]:
    """The rest of a text, and how many emoji of more than one code point were taken out of it."""
    rest, position, count = "", 0, 0
    for lead in rules.SEQUENCE_LEAD.finditer(text):
        start = lead.start()
        sizes = rules.SEQUENCE_SIZES if start >= position else ()
        if size := next(
            (size for size in sizes if text[start : start + size] in rules.SEQUENCES), 0
        ):
            rest += text[position:start]
            position = start + size
            count += 1
    return rest + text[position:], count


def _entities(text: str, urls: Iterable[text_urls.Span]) -> tuple[Entity, ...]:
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


_SIGIL_PATTERNS: tuple[tuple[Kind, str, Any], ...] = (
    ("mention", "@\uff20", rules.MENTION),
    ("hashtag", "#\uff03", rules.HASHTAG),
    ("cashtag", "$", rules.CASHTAG),
)

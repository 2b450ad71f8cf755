"""Set a text in lines: words stay whole, and Chinese breaks after each character."""

import re
import unicodedata
from collections.abc import Iterator

from . import fonts

TEXT_MAX = 1_000  # characters of a text that are set
WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
OPENING, CLOSING = "「『（《〈【“‘", "、。，．！？：；）」』】》〉”’…"
# A piece that stays on one line: a wide character with its punctuation, a word, or a space.
CHUNK = re.compile(rf"[{OPENING}]*[{WIDE}][{CLOSING}]*|[^\s{WIDE}]+|\s+")
ELLIPSIS = "…"
RIGHT_TO_LEFT = ("R", "AL")


def drawable(text: str) -> str | None:
    """Return a text without emoji and invisible characters that no font has.

    None if a letter is missing, or is written from right to left: half a text is worse than none.
    """
    written = []
    for character in unicodedata.normalize("NFC", text)[:TEXT_MAX]:
        if character.isspace():
            written.append("\n" if character == "\n" else " ")
        elif unicodedata.bidirectional(character) in RIGHT_TO_LEFT:
            return None
        elif fonts.can_draw(character) and unicodedata.category(character)[0] != "C":
            written.append(character)
        elif not _is_ornament(character):
            return None
    return re.sub(r"\s*\n\s*", "\n", re.sub(" +", " ", "".join(written))).strip()


def fit(text: str, sizes: tuple[int, ...], width: int, height: int) -> tuple[int, list[str]]:
    """Return the largest size at which a text fits, and its lines; at the smallest it is cut."""
    for size in sizes:
        lines = wrap(text, size, width)
        room = height // line_height(size)
        if len(lines) <= room:
            return size, lines
    return size, [*lines[: room - 1], cut(lines[room - 1] + ELLIPSIS, size, width)]


def line_height(size: int) -> int:
    """Return the distance between two lines in pixels."""
    return size * 7 // 5


def wrap(text: str, size: int, width: int) -> list[str]:
    """Return the lines of a text, none wider than `width` pixels."""
    return [line for paragraph in text.split("\n") for line in _wrap(paragraph, size, width)]


def cut(line: str, size: int, width: int) -> str:
    """Return a line that fits, with an ellipsis at its end if it had to be cut."""
    if _width(line, size) <= width:
        return line
    line = line.rstrip(ELLIPSIS)
    while line and _width(line + ELLIPSIS, size) > width:
        line = line[:-1]
    return line.rstrip() + ELLIPSIS


def _wrap(paragraph: str, size: int, width: int) -> Iterator[str]:
    line, used = "", 0.0
    for chunk in _chunks(paragraph, size, width):
        wanted = _width(chunk, size)
        if line and used + wanted > width:
            yield line.rstrip()
            line, used = "", 0.0
            if chunk.isspace():
                continue
        line, used = line + chunk, used + wanted
    yield line.rstrip()


def _chunks(paragraph: str, size: int, width: int) -> Iterator[str]:
    """Yield unbreakable pieces. A word wider than a line is broken anywhere."""
    for chunk in CHUNK.findall(paragraph):
        if _width(chunk, size) > width:
            yield from chunk
        else:
            yield chunk


def _width(text: str, size: int) -> float:
    return sum(fonts.advance(character, size) for character in text)


def _is_ornament(character: str) -> bool:
    """Return True for emoji, their joiners and colours, and invisible characters."""
    category = unicodedata.category(character)
    return category[0] in "SC" or category == "Me" or "\ufe00" <= character <= "\ufe0f"

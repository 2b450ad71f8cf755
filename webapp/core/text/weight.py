"""Measure the length of a text in weighted characters."""

from collections.abc import Iterable

from . import rules
from .domains import Span

LINES_MAX = 15  # of a text that is shown whole in lists
COLUMNS = 48  # light characters of a line, between a phone's and a wide screen's
URL_WEIGHT = 23  # characters that each link counts
EMOJI_WEIGHT = 2


def weigh(text: str, urls: Iterable[Span]) -> int:
    """Return the weight of a normalised text whose URLs are at these spans."""
    total = position = 0
    for start, end in urls:
        total += _weigh_plain(text[position:start]) + URL_WEIGHT
        position = end
    return total + _weigh_plain(text[position:])


def is_long(text: str) -> bool:
    """Return True if a text takes about more than LINES_MAX lines."""
    if text.count("\n") + 2 * len(text) // COLUMNS < LINES_MAX:
        return False
    lines = text.split("\n")
    return sum(1 + max(_weigh_plain(line) - 1, 0) // COLUMNS for line in lines) > LINES_MAX


def _weigh_plain(text: str) -> int:
    """Return the weight of a text without URLs: a light character 1, a heavy one or emoji 2."""
    if text.isascii():
        return len(text)
    rest, sequences = _without_emoji_sequences(text)
    return sequences * EMOJI_WEIGHT + len(rest) + len(rules.LIGHT.sub("", rest))


def _without_emoji_sequences(text: str) -> tuple[str, int]:
    """Return a text without its emoji of more than one code point, and how many those were."""
    rest, position, count = "", 0, 0
    for lead in rules.SEQUENCE_LEAD.finditer(text):
        start = lead.start()
        if start < position:
            continue  # inside the emoji before it
        size = _sequence_size(text, start)
        if size:
            rest += text[position:start]
            position = start + size
            count += 1
    return rest + text[position:], count


def _sequence_size(text: str, start: int) -> int:
    """Return the length of the longest emoji sequence at text[start:], 0 without one."""
    for size in rules.SEQUENCE_SIZES:
        if text[start : start + size] in rules.SEQUENCES:
            return size
    return 0

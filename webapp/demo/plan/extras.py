"""The files `extras_en.txt` and `extras_zh.txt`: polls, views, warnings, and replies that fit many.

A line is a sentence with choices, as in the phrase books. ` // ` separates a text from its extras:
the options of a poll, descriptions of pictures, or, before the text, a warning.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from random import Random

from webapp.demo.acts.act import Post
from webapp.demo.phrases import expand, sections
from webapp.demo.writing import Writer
from webapp.statuses import Place, Poll
from webapp.statuses.values.poll import DURATIONS_MINUTES

# Of all posts that answer nothing, how many are of each kind. Pictures take time to draw.
SHARES = {"polls": 0.018, "warned": 0.014, "views": 0.014}
VIEWS_MAX = 28
TRIES = 8  # for a text that nobody has written
DAYS_MINUTES = [minutes for minutes in DURATIONS_MINUTES if minutes >= 1_440]
PLACE_SHARE = 0.6  # of posts with pictures


class Extras:
    """Hands out the lines of the files, those first that were used least."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._uses: Counter[str] = Counter()
        self._views = 0

    def line(self, section: str, language: str) -> str:
        """Return a line of a section, with its choices still in it."""
        lines = extra_lines(language)[section]
        line = min(lines, key=lambda one: self._uses[one] + self._rng.random())
        self._uses[line] += 1
        return line

    def kind(self) -> str:
        """Draw the kind of a post: a section of the file, or "" for one of the phrase books."""
        drawn, at = self._rng.random(), 0.0
        for kind, share in SHARES.items():
            at += share
            if drawn < at and (kind != "views" or self._views < VIEWS_MAX):
                return kind
        return ""

    def post(
        self, kind: str, author: int, at_ms: int, language: str, writer: Writer
    ) -> Post | None:
        """Return a post of a kind; None if the kind has no new text."""
        rng = self._rng
        for _ in range(TRIES):
            first, *rest = expand(self.line(kind, language), rng, {}).split(" // ")
            text = rest[0] if kind == "warned" else first
            if writer.is_new(text):
                writer.note(text)
                break
        else:
            return None
        if kind == "warned":
            return Post(author, at_ms, text, language, "warned", warning=first)
        if kind == "polls":
            options = tuple(option.strip() for option in rest[0].split(" | "))
            poll = Poll(options, rng.choice(DAYS_MINUTES), rng.random() < 0.2)
            return Post(author, at_ms, text, language, "poll", poll=poll)
        self._views += 1
        place = rng.choice(places(language)) if rng.random() < PLACE_SHARE else None
        return Post(author, at_ms, text, language, "view", alts=tuple(rest), place=place)


@cache
def extra_lines(language: str) -> Mapping[str, Sequence[str]]:
    """Return the lines of a language's file by section."""
    return dict(sections(f"extras_{language}.txt"))


@cache
def places(language: str) -> Sequence[Place]:
    """Return places to watch birds, of the file `sites.txt`: `name; latitude; longitude`."""
    rows = [line.split("; ") for line in dict(sections("sites.txt"))[language]]
    return [Place(float(lat), float(long), name) for name, lat, long in rows]

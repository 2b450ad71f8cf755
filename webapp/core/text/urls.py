"""Finds the URLs in a text by twitter-text v3's rules, in time linear in the text's length.

twitter-text states its rules as one backtracking pattern, which takes seconds on a hostile
"a.a.a.a...". Here the text is cut into runs of host characters, and each run into labels between
dots. One pass from the right finds for every label where a domain with that label ends.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import regex

from .domains import NOT_BEFORE, NOT_IN_LABEL, Span, find_domains, is_dns_label, tld_end_at
from .rules import LATIN

MAX_SLUG = 40  # of a t.co URL


def find_urls(text: str) -> Iterator[Span]:
    """Yield the spans of the URLs in `text` in order, with or without a scheme. None overlap."""
    position, dot = 0, text.find(".")
    match_end = -1  # where the last match ends; one character before the next belongs to neither
    # Words before the one with the next dot are skipped.
    while dot >= 0 and (
        run := _HOST_RUN.search(text, max(position, text.rfind(" ", position, dot) + 1))
    ):
        position = run.end()
        for domain_start, end in find_domains(text, max(run.start(), match_end + 1), run.end()):
            with_path, tail_end = _tail_end(text, end)
            scheme = (
                _SCHEME.search(text, max(0, domain_start - 8), domain_start)
                if domain_start == run.start()
                else None
            )
            with_scheme = scheme is not None and scheme.start() > match_end
            match_end, position = tail_end, max(position, tail_end)
            if not all(map(is_dns_label, text[domain_start:end].split("."))):
                continue
            if scheme and with_scheme:
                yield from _with_scheme(text, scheme.start(), tail_end)
            elif domain_start == 0 or text[domain_start - 1] not in "-_./":
                for bare_start, bare_end in _without_scheme(text, domain_start, end):
                    yield bare_start, tail_end if with_path and bare_end == end else bare_end
        dot = text.find(".", position)


def _tail_end(text: str, position: int) -> tuple[bool, int]:
    """Return whether a path follows the domain that ends here, and where path and query end."""
    if port := _PORT.match(text, position):
        position = port.end()
    path = _PATH.match(text, position)
    if path:
        # Punctuation at the end belongs to the sentence.
        position += len(path.group().rstrip("!*';:,.$%\u2013~@|&"))
    if query := _QUERY.match(text, position):
        position += len(query.group().rstrip("!?*'@;:+$%.,~|"))
    return path is not None, position


def _with_scheme(text: str, start: int, stop: int) -> Iterator[Span]:
    """Yield the URL with a scheme at text[start:stop]. A t.co URL ends after its slug and query."""
    short = _TCO.match(text, start, stop)
    if not short:
        yield start, stop
    elif len(short[1]) <= MAX_SLUG:
        yield start, short.end()


def _without_scheme(text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield the Latin domains in one without a scheme: text in other scripts may adjoin them."""
    for chain in _LATIN_CHAIN.finditer(text, begin, end):
        dot = text.rfind(".", chain.start(), chain.end())
        while dot > chain.start():
            if tld_end := tld_end_at(text, dot + 1):
                yield chain.start(), tld_end
                break
            dot = text.rfind(".", chain.start(), dot)


# Letters, marks and digits of scripts that separate words by spaces. In others, text follows a link
# without one, and in Korean a particle does.
_LETTER: Final = (
    r"[[\p{L}\p{M}\p{Nd}]--[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}\p{Bopomofo}"
    r"\p{Line_Break=Complex_Context}\p{Variation_Selector}\u20d0-\u20ff\u3000-\u30ff\uff00-\uffef]]"
)
# A non-joiner, a middle dot or a Hebrew hyphen between two letters.
_INSIDE_WORD: Final = rf"(?<={_LETTER})[\u200c\xb7\u05be](?={_LETTER})"
_IN_PATH: Final = rf"(?:[!*';:=+,.$/%#\-\u2013_~@|&{_LETTER}]|{_INSIDE_WORD})"
_IN_QUERY: Final = rf"(?:[!?*'@;:&=+$/%#\-_.,~|{_LETTER}]|{_INSIDE_WORD})"
_IN_TCO_QUERY: Final = r"[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]"

_HOST_RUN = re.compile(rf"(?:[^{NOT_IN_LABEL}]|[-._])++")
_SCHEME = re.compile(rf"{NOT_BEFORE}https?://\Z", re.I)
_LATIN_CHAIN = re.compile(rf"[-a-z0-9{LATIN}]++(?:\.[-a-z0-9{LATIN}]++)*+\.?", re.I)
_PORT = re.compile(r":[0-9]++")


def _with_brackets(inside: str) -> str:
    """Return the pattern of a run in which brackets only count in pairs, round ones two deep."""
    nested = rf"{inside}*+\({inside}++\){inside}*+"
    return rf"(?:{inside}++|\((?:{inside}++|{nested})\)|\[{inside}*+\])"


_PATH: Final[Any] = regex.compile(rf"(?V1)/{_with_brackets(_IN_PATH)}*+")
_QUERY: Final[Any] = regex.compile(rf"(?V1)\?{_with_brackets(_IN_QUERY)}++")
_TCO = re.compile(rf"https?://t\.co/([a-z0-9]++)(?:\?{_IN_TCO_QUERY}*[a-z0-9\-_&=#/])?", re.I)

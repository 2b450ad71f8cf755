"""Fold texts for comparison, and find their words: one rule for all that compares texts.

The streaming API has a narrower one, `fold_case`: its `track` promises to ignore case alone.
A word is a run of letters, marks, digits, underscores and joiners. Chinese, Japanese and Korean
have no spaces between words, so no word goes on at their characters.
"""

import re
from typing import Any, Final
from unicodedata import normalize

import regex

_APOSTROPHES: Final = "‘’‚‛′‵‹›´ʹʻʼʽˈՙ՚׳ߴߵ＇"
_QUOTATION_MARKS: Final = "“”„‟″‶«»〃〝〞〟״＂"
# Trade marks become words of their own: "Linnet™" is not the word "linnettm".
_ALIKE: Final = {
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(_QUOTATION_MARKS, '"'),
    **{"™": " tm", "℠": " sm", "ŉ": "'n", "\u0374": "'"},
    **{"‴": "'" * 3, "‷": "'" * 3, "⁗": "'" * 4},
}
# Unicode's Default_Ignorable_Code_Point: soft hyphens, joiners, variation selectors, marks of
# direction. Not the zero-width space, which parts words, and not the tags that tell flags apart.
_IGNORABLE: Final = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e001f\U000e0080-\U000e0fff"
)
_REPLACED: Final = re.compile(f"[{''.join(_ALIKE)}{_IGNORABLE}]")
_DOTTED: Final = re.compile("i\u0307+")  # as İ is folded; marks may follow it
CJK: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u3006\u3099\u309a\u30fc\uff70"
WORD_CHARS: Final = (
    r"\p{L}\p{M}\p{N}\p{Pc}\p{Join_Control}\xb7"  # \xb7 as in the Catalan `paral·lel`
)
WORD: Final = f"[[{WORD_CHARS}]--[{CJK}]]"
CJK_RUN: Final[Any] = regex.compile(f"(?V1)[{CJK}]+")
TOKEN: Final[Any] = regex.compile(f"(?V1){WORD}+|[{CJK}]+")
ASCII_TOKEN: Final = re.compile(r"\w+", re.ASCII)  # TOKEN for texts of ASCII, six times as fast


def fold(text: str) -> str:
    """Return a text without differences of case, width, form and style of quotation marks.

    Characters without width are left out. Accents stay. Folding twice changes nothing.
    """
    if text.isascii():
        return text.lower()
    folded = _REPLACED.sub(lambda match: _ALIKE.get(match[0], ""), text)
    for _ in range(2):  # the folded form of a few letters can be folded again
        folded = _DOTTED.sub("i", normalize("NFKC", folded).casefold())
    return normalize("NFKC", folded)


def fold_case(text: str) -> str:
    """Return a text without differences of case and normal form (full case folding).

    Variation selectors, which only choose how an emoji looks, are left out.
    """
    if text.isascii():
        return text.lower()
    bare = text.replace("\ufe0e", "").replace("\ufe0f", "")
    return normalize("NFC", normalize("NFD", bare).casefold())


def bigrams(run: str) -> list[str]:
    """Return the pairs of neighbouring characters of a run."""
    return [run[start : start + 2] for start in range(len(run) - 1)]

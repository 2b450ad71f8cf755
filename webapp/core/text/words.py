"""The characters of words, as sets for patterns of `regex`, version 1.

A word is a run of letters, marks, digits, underscores and joiners. Chinese, Japanese and Korean
have no spaces between words, so no word goes on at their characters.
"""

from __future__ import annotations

import re
from typing import Any, Final

import regex

CJK: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u3006\u3099\u309a\u30fc\uff70"
WORD_CHARS: Final = (
    r"\p{L}\p{M}\p{N}\p{Pc}\p{Join_Control}\xb7"  # \xb7 as in the Catalan `paral·lel`
)
WORD: Final = f"[[{WORD_CHARS}]--[{CJK}]]"
CJK_RUN: Final[Any] = regex.compile(f"(?V1)[{CJK}]+")
TOKEN: Final[Any] = regex.compile(f"(?V1){WORD}+|[{CJK}]+")
ASCII_TOKEN: Final = re.compile(r"\w+", re.ASCII)  # TOKEN for texts of ASCII, six times as fast


def bigrams(run: str) -> list[str]:
    """Return the pairs of neighbouring characters of a run."""
    return [run[start : start + 2] for start in range(len(run) - 1)]

"""Which language a text is written in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import regex

from .text import Entity

LETTERS = regex.compile(r"(?:\p{L}\P{L}*+){3}")  # fewer, and nothing can be told
SIGNS = regex.compile(r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]")  # but by one of these
CERTAIN = -1e30  # py3langid's score of a guess that rests on nothing is far below
NONE = "zxx"  # ISO 639: no linguistic content
CHINESE = ("yue", "wuu", "lzh", "gan", "hak", "nan")  # short texts are taken for any of them


def detect(text: str, entities: Iterable[Entity] = ()) -> str:
    """The language of a text (BCP 47, such as `en` or `zh`), or nothing where it cannot be told. Names, links and tags
    count for nothing.
    """
    words, done = "", 0
    for entity in entities:
        words += text[done : entity.start] + " "
        done = entity.end
    words += text[done:]
    if not LETTERS.search(words) and not SIGNS.search(words):
        return ""
    language, score = _classify()(words)
    if language == NONE or score < CERTAIN:
        return ""
    return "zh" if language in CHINESE else str(language)


@cache
def _classify() -> Any:
    from py3langid import classify  # 90 MB with what it needs: loaded at the first post only

    return classify

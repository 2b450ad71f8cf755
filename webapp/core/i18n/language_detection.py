"""Which language a text is written in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import regex

from webapp.core.text.parser import Entity

THREE_LETTERS = regex.compile(r"(?:\p{L}\P{L}*+){3}")  # fewer, and nothing can be told
CJK_CHARACTER = regex.compile(r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]")  # but by one of these
MIN_SCORE = -1e30  # py3langid's score of a guess that rests on nothing is far below
NO_LANGUAGE = "zxx"  # ISO 639: no linguistic content
CHINESE_VARIANTS = (
    "yue",
    "wuu",
    "lzh",
    "gan",
    "hak",
    "nan",
)  # short texts are taken for any of them


def detect(text: str, entities: Iterable[Entity] = ()) -> str:
    """The language of a text (BCP 47, such as `en` or `zh`), or nothing where it cannot be told. Names, links and tags
    count for nothing.
    """
    plain_text, position = "", 0
    for entity in entities:
        plain_text += text[position : entity.start] + " "
        position = entity.end
    plain_text += text[position:]
    if not THREE_LETTERS.search(plain_text) and not CJK_CHARACTER.search(plain_text):
        return ""
    language, score = _load_classifier()(plain_text)
    if language == NO_LANGUAGE or score < MIN_SCORE:
        return ""
    return "zh" if language in CHINESE_VARIANTS else str(language)


@cache
def _load_classifier() -> Any:
    from py3langid import classify  # 90 MB with what it needs: loaded at the first post only

    return classify

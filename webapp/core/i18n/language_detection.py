"""Which language a text is written in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import regex

from webapp.core.text.parser import Entity, segments

# Fewer than three letters tell nothing, unless one of them belongs to Chinese, Japanese or Korean.
THREE_LETTERS = regex.compile(r"(?:\p{L}\P{L}*+){3}")
CJK_CHARACTER = regex.compile(r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]")
MIN_SCORE = -1e30  # py3langid's score of a guess without any evidence is far below
NO_LANGUAGE = "zxx"  # ISO 639: no linguistic content
CHINESE_VARIANTS = ("yue", "wuu", "lzh", "gan", "hak", "nan")  # guesses at short Chinese texts


def detect(text: str, entities: Iterable[Entity] = ()) -> str:
    """Return the language of a text (BCP 47, such as `en` or `zh`), "" if it cannot be told.

    Mentions, links and tags are left out.
    """
    plain_text = "".join(run if entity is None else " " for run, entity in segments(text, entities))
    if not THREE_LETTERS.search(plain_text) and not CJK_CHARACTER.search(plain_text):
        return ""
    language, score = _load_classifier()(plain_text)
    if language == NO_LANGUAGE or score < MIN_SCORE:
        return ""
    return "zh" if language in CHINESE_VARIANTS else str(language)


@cache
def _load_classifier() -> Any:
    from py3langid import classify  # takes 90 MB, so it is loaded at the first status

    return classify

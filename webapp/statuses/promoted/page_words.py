"""The words that a page is about, as promotions name them."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.core.text.folding import fold
from webapp.core.text.parser import tag_name
from webapp.core.text.words import CJK_RUN, TOKEN

CJK_WORD_MAX = 4  # characters of a part of a run without spaces


def page_words(text: str) -> list[str]:
    """Return what the words of a promotion can match in a text, such as a search."""
    words = dict.fromkeys(f"#{name}" for part in text.split() if (name := hashtag_of(part)))
    for run in TOKEN.findall(fold(text)):
        words.update(dict.fromkeys(_parts(run) if CJK_RUN.fullmatch(run) else (run,)))
    return list(words)


def hashtag_of(part: str) -> str:
    """Return the folded name of a hashtag with its sign, "" for anything else."""
    return tag_name(part[1:]) if part[:1] in ("#", "＃") else ""


def _parts(run: str) -> Iterable[str]:
    """Yield the parts of a run without spaces that may be words."""
    for size in range(1, CJK_WORD_MAX + 1):
        yield from (run[start : start + size] for start in range(len(run) - size + 1))

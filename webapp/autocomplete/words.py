"""Folding typed texts and names into words that can be compared.

A word has letters, digits, marks and underscores. Chinese names have no spaces, so that each
character may begin a word: somebody called 王小明 is found by 小明 too.
"""

from collections.abc import Sequence
from typing import Any, Final

import regex

from webapp.core.text.folding import fold
from webapp.core.text.parser import TAG_MAX, fold_tag

WORD: Final[Any] = regex.compile(r"[\p{L}\p{M}\p{N}_]++")
CHINESE: Final[Any] = regex.compile(r"\p{Han}")
WORDS_MAX = 10  # entries of one member
WORD_MAX = 30  # characters of an entry; the rest of a longer word is cut
RAW_MAX = 4 * TAG_MAX  # characters of a query that are read


def words_of(login: str, name: str) -> tuple[str, ...]:
    """Return the words that a member is found by: the login, and those of the display name."""
    words = [fold(login)]
    for word in WORD.findall(fold(name)):
        words.append(word)
        words += [word[at:] for at in range(1, len(word)) if CHINESE.match(word, at)]
    return tuple(dict.fromkeys(word[:WORD_MAX] for word in words))[:WORDS_MAX]


def name_prefix(raw: str) -> str | None:
    """Return the prefix that a word of a name must have. None if no name can match."""
    prefix = fold(raw) if len(raw) <= RAW_MAX else " "
    is_word = len(prefix) <= WORD_MAX and (not prefix or WORD.fullmatch(prefix))
    return prefix if is_word else None


def name_prefixes(raw: str) -> tuple[str, ...]:
    """Return the prefixes that words of a name must have, one a word. Empty if no name can match.

    Words beyond WORDS_MAX match nobody. An empty text has one empty prefix, as any name matches.
    """
    prefixes = [name_prefix(word) for word in raw[: RAW_MAX + 1].split(maxsplit=WORDS_MAX) or [""]]
    found = tuple(prefix for prefix in prefixes if prefix is not None)
    return found if len(found) == len(prefixes) else ()


def has_prefixes(login: str, name: str, prefixes: Sequence[str]) -> bool:
    """Return True if a word of a member's names begins with each prefix."""
    words = words_of(login, name)
    return all(any(word.startswith(prefix) for word in words) for prefix in prefixes)


def tag_prefix(raw: str) -> str | None:
    """Return the prefix that the name of a hashtag must have. None if no hashtag can match."""
    prefix = fold_tag(raw) if len(raw) <= RAW_MAX else ""
    return prefix if (prefix or not raw) and len(prefix) <= TAG_MAX else None

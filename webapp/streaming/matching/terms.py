"""What a status is to those who filter the stream, and whether a phrase they track is found in it.

A phrase is found where each of its terms is; where they stand and in which order does not matter. Upper and lower case
are one (full case folding), accents are not. A term is found where it stands whole: no word goes on across either of
its ends. A word is a run of letters, marks, digits, underscores and joiners. Chinese, Japanese and Korean are written
without spaces, or with particles grown onto words, so that at their characters no word ever goes on: `手机` is found in
`我的手机壳`, and `iPhone手机` in `新iPhone手机壳`, but not in `myiPhone手机`.

A term is looked for in the text, in the names of hashtags and mentions, and in URLs. It may have punctuation (all that
belongs to no word: emoji too). Then it is looked for in the text only, with the punctuation as written, or is a whole
URL: with its scheme or without, with the last slash or without. `www.` counts to none of a status's URLs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from unicodedata import normalize

import regex

from webapp.core.text.parser import Entity, href, segments


class SearchText(NamedTuple):
    """What terms are compared with, folded. The parts of a string are lines, for no term has a line break."""

    plain_text: str  # the text between hashtags, mentions and URLs
    all_text: str  # that, and the names of hashtags and mentions, and URLs as they are shown
    urls: frozenset[str]  # each URL in all the ways it may be written in whole


@dataclass(frozen=True, slots=True)
class Subject:
    """A status to be matched. Of a boost, `text` and `entities` are those of the boosted status."""

    id: int
    author: int  # uid: of a boost, of who boosts
    text: str
    entities: tuple[Entity, ...] = ()
    lang: str = ""  # BCP 47; empty where none was detected
    point: tuple[float, float] | None = None  # latitude and longitude, in degrees
    reply_to: int = 0  # uid of the author replied to
    boosted_author: int = 0  # uid of the author whose status is boosted
    sensitive: bool = False
    protected: bool = False  # the author, or whoever else wrote a part of it, shows it to some only
    content_unknown: bool = False  # its number and its author are all that is known any more
    searched: SearchText = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "searched", _search_text(self.text, self.entities))


def normalize_phrase(text: str) -> str:
    """A phrase as it is compared and indexed: its terms folded, sorted, each once, with one space between. Empty where
    there is nothing to look for.
    """
    return " ".join(sorted({fold(term) for term in text.split()} - {""}))


def phrase_matches(phrase: str, searched: SearchText) -> bool:
    """Whether a phrase, as `phrase` returns it, is found."""
    return all(_term_matches(term, searched) for term in phrase.split(" "))


def index_terms(searched: SearchText) -> set[str]:
    """All that a phrase may be listed under to be found here: words, pairs of neighbours and single characters of
    Chinese, Japanese and Korean, and single characters of punctuation. A term that is one of them is found.
    """
    result: set[str] = set(_WORDS.findall(searched.all_text))
    result.update(_SYMBOLS.findall(searched.plain_text))
    for run in _CJK_RUNS.findall(searched.all_text):
        result.update(run)
        result.update(_bigrams(run))
    return result


def index_terms_of(phrase: str) -> set[str]:
    """The keys worth listing a phrase under: wherever it is found, `keys` has each of them. Never empty."""
    return {index_term for term in phrase.split(" ") for index_term in _index_terms_of_term(term)}


def fold(text: str) -> str:
    """The text without differences of case or normal form, and without signs that only choose how an emoji looks."""
    if text.isascii():
        return text.lower()
    return normalize("NFC", normalize("NFD", _VARIATION_SELECTORS.sub("", text)).casefold())


def _search_text(text: str, entities: Iterable[Entity]) -> SearchText:
    plain, entity_texts, urls = list[str](), list[str](), set[str]()
    for run, entity in segments(text, entities):
        if entity is None or entity.kind == "cashtag":
            plain.append(fold(run))
        elif entity.kind == "url":
            scheme, display = _SCHEME_AND_REST.fullmatch(fold(href(entity.text))).groups()
            entity_texts.append(display)
            without_slash = display.removesuffix("/")
            urls.update((display, without_slash, scheme + display, scheme + without_slash))
        else:
            entity_texts.append(fold(entity.text))
    return SearchText("\n".join(plain), "\n".join((*plain, *entity_texts)), frozenset(urls))


def _term_matches(term: str, searched: SearchText) -> bool:
    if _SYMBOLS.search(term):
        return term in searched.urls or _contains_whole(term, searched.plain_text)
    return _contains_whole(term, searched.all_text)


def _contains_whole(term: str, text: str) -> bool:
    start = text.find(term)
    while start >= 0:
        if not _INSIDE_WORD.match(text, start) and not _INSIDE_WORD.match(text, start + len(term)):
            return True
        start = text.find(term, start + 1)
    return False


def _index_terms_of_term(term: str) -> list[str]:
    # No key tells the scheme: a URL is shown without.
    term = _LEADING_SCHEME.sub("", term)
    words: list[str] = _WORDS.findall(term)
    for run in _CJK_RUNS.findall(term):
        words += _bigrams(run) or [run]
    return words or list(term)


def _bigrams(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]


# As sets for patterns of `regex`, version 1.
_CJK: Final = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\u3006\u3099\u309a\u30fc\uff70"
_WORD_CHARS: Final = (
    r"\p{L}\p{M}\p{N}\p{Pc}\p{Join_Control}\xb7"  # \xb7 as in the Catalan `paral·lel`
)
_WORD: Final = f"[[{_WORD_CHARS}]--[{_CJK}]]"

_WORDS: Final[Any] = regex.compile(f"(?V1){_WORD}+")
_CJK_RUNS: Final[Any] = regex.compile(f"(?V1)[{_CJK}]+")
_SYMBOLS: Final[Any] = regex.compile(rf"(?V1)[^{_WORD_CHARS}{_CJK}\s]")
_INSIDE_WORD: Final[Any] = regex.compile(f"(?V1)(?<={_WORD})(?={_WORD})")
_VARIATION_SELECTORS: Final[Any] = regex.compile("[\ufe0e\ufe0f]")
_LEADING_SCHEME: Final[Any] = regex.compile("^https?://(?=.)")
_SCHEME_AND_REST: Final[Any] = regex.compile(r"(?s)(https?://)(?:www\.(?=[^/?#:]*\.))?(.*)")

"""Find phrases, the values of `track`, in the text of a status.

A phrase is found if each of its terms is, in any place and order. Case does not matter (full case
folding); accents do. A term is only found as a whole: no word may go on across its ends. A word is
a run of letters, marks, digits, underscores and joiners. Chinese, Japanese and Korean have no
spaces between words, so no word goes on at their characters: `手机` is found in `我的手机壳`, and
`iPhone手机` in `新iPhone手机壳`, but not in `myiPhone手机`.

A term is looked for in the text, in the names of hashtags and mentions, and in URLs. A term with
punctuation or emoji is only looked for in the text, as written; or it is a whole URL, with or
without its scheme and its last slash. The `www.` of a status's URLs does not count.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import regex

from webapp.core.text.folding import CJK, CJK_RUN, WORD, WORD_CHARS, bigrams, fold_case
from webapp.core.text.parser import Entity, href, segments
from webapp.search.index.documents import Document


class SearchText(NamedTuple):
    """A status as terms are compared with it: folded, its parts on lines of their own.

    No term has a line break, so none is found across two parts.
    """

    plain_text: str  # the text between hashtags, mentions and URLs
    all_text: str  # that, and the names of hashtags and mentions, and URLs as they are shown
    urls: frozenset[str]  # each URL in all the ways it may be written in whole


@dataclass(frozen=True, slots=True)
class Subject:
    """A status or a boost to be matched. A boost has no text: its status was sent before."""

    id: int
    author: int  # uid; for a boost, the member who boosts
    text: str
    entities: tuple[Entity, ...] = ()
    lang: str = ""  # BCP 47; empty if none was detected
    point: tuple[float, float] | None = None  # latitude and longitude, in degrees
    reply_to: int = 0  # uid of the author replied to
    boosted_author: int = 0  # uid of the author whose status is boosted
    boosters: frozenset[int] = frozenset()  # uids of those who boosted the status
    sensitive: bool = False
    protected: bool = False  # an author of it shows it to some members only
    groups: tuple[int, ...] = ()  # that it was posted to
    content_unknown: bool = False  # only its id and its author are known
    document: Document | None = None  # its terms for searches; None if they do not find it
    searched: SearchText = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "searched", _search_text(self.text, self.entities))


def normalize_phrase(text: str) -> str:
    """Return a phrase as it is compared and indexed: folded terms, sorted, each once.

    One space separates terms. Empty if there is nothing to look for.
    """
    return " ".join(sorted({fold_case(term) for term in text.split()} - {""}))


def phrase_matches(phrase: str, searched: SearchText) -> bool:
    """Return True if a normalized phrase is found."""
    return all(_term_matches(term, searched) for term in phrase.split(" "))


def index_terms(searched: SearchText) -> set[str]:
    """Return every index term of a text; a phrase must be listed under one of them to be found.

    These are words, single characters and pairs of Chinese, Japanese and Korean, and characters of
    punctuation. A term that is one of them is found without comparing.
    """
    result: set[str] = set(_WORDS.findall(searched.all_text))
    result.update(_SYMBOLS.findall(searched.plain_text))
    for run in CJK_RUN.findall(searched.all_text):
        result.update(run)
        result.update(bigrams(run))
    return result


def index_terms_of(phrase: str) -> set[str]:
    """Return the index terms that every text with this phrase has. Never empty."""
    return {index_term for term in phrase.split(" ") for index_term in _index_terms_of_term(term)}


def _search_text(text: str, entities: Iterable[Entity]) -> SearchText:
    plain: list[str] = []
    entity_texts: list[str] = []
    urls: set[str] = set()
    for run, entity in segments(text, entities):
        if entity is None or entity.kind == "cashtag":
            plain.append(fold_case(run))
        elif entity.kind == "url":
            scheme, display = _SCHEME_AND_REST.fullmatch(fold_case(href(entity.text))).groups()
            entity_texts.append(display)
            without_slash = display.removesuffix("/")
            urls.update((display, without_slash, scheme + display, scheme + without_slash))
        else:
            entity_texts.append(fold_case(entity.text))
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
    # A URL is compared without its scheme, so the scheme is no index term.
    term = _LEADING_SCHEME.sub("", term)
    words: list[str] = _WORDS.findall(term)
    for run in CJK_RUN.findall(term):
        words += bigrams(run) or [run]
    return words or list(term)


_WORDS: Final[Any] = regex.compile(f"(?V1){WORD}+")
_SYMBOLS: Final[Any] = regex.compile(rf"(?V1)[^{WORD_CHARS}{CJK}\s]")
_INSIDE_WORD: Final[Any] = regex.compile(f"(?V1)(?<={WORD})(?={WORD})")
_LEADING_SCHEME: Final[Any] = regex.compile("^https?://(?=.)")
_SCHEME_AND_REST: Final[Any] = regex.compile(r"(?s)(https?://)(?:www\.(?=[^/?#:]*\.))?(.*)")

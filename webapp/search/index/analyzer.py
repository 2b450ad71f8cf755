"""Turn texts into tokens: what the index finds them by, and what phrases are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from webapp.core.text.words import CJK_RUN, TOKEN, bigrams

from .stems import fold, is_stop_word, languages_of, possible_stems, stem

BREAK = "|"  # between two texts of a document: no phrase goes on across it


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tokens of a document's texts, in order, and the terms that it is indexed under."""

    tokens: tuple[str, ...]
    terms: frozenset[str]


def analyze(texts: Iterable[str], language: str) -> Analysis:
    """Analyze the texts of a document. `language`: ISO 639-1, "" if it is not known.

    A word is indexed under its stem, unless it is a stop word. A run of Chinese, Japanese or
    Korean is indexed under its pairs of characters.
    """
    tokens: list[str] = []
    terms: set[str] = set()
    for text in filter(None, texts):
        if tokens:
            tokens.append(BREAK)
        for run in tokenize(text):
            if CJK_RUN.match(run):
                tokens.append(run)
                terms.update(bigrams(run) or [run])
                continue
            tokens.append(stem(run, language))
            if not is_stop_word(tokens[-1], language):
                terms.add(tokens[-1])
    return Analysis(tuple(tokens), frozenset(terms))


def tokenize(text: str) -> Iterator[str]:
    """Yield the folded words of a text, and its runs of Chinese, Japanese and Korean."""
    yield from TOKEN.findall(fold(text))


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which a query may match: all `terms`, and the `phrase` in the tokens.

    `phrase` has a space at an end where no word may go on; it is "" if the terms are enough.
    """

    terms: tuple[str, ...]
    phrase: str = ""


def variants(words: str, languages: Iterable[str]) -> tuple[Variant, ...]:
    """Return the ways in which words, or a phrase of several, may stand in a document.

    There is one for each distinct sequence of stems. `languages`: those whose stop words the query
    may mean. They have no terms, so they are looked for in the tokens.
    """
    runs = list(tokenize(words))
    if len(runs) == 1 and not CJK_RUN.match(runs[0]):
        return tuple(_word(stemmed, languages) for stemmed in possible_stems(runs[0]))
    stemmed_in = dict.fromkeys(
        language for run in runs if not CJK_RUN.match(run) for language in languages_of(run)
    )
    found = (_sequence(runs, language, languages) for language in stemmed_in or ("",))
    return tuple(dict.fromkeys(found))


def _word(stemmed: str, languages: Iterable[str]) -> Variant:
    if any(is_stop_word(stemmed, language) for language in languages):
        return Variant((), f" {stemmed} ")
    return Variant((stemmed,))


def _sequence(runs: list[str], language: str, languages: Iterable[str]) -> Variant:
    """Return the variant of a phrase whose words are all stemmed in one language."""
    terms: list[str] = []
    tokens: list[str] = []
    for run in runs:
        if CJK_RUN.match(run):
            tokens.append(run)
            terms += bigrams(run)
            continue
        tokens.append(stem(run, language))
        if not any(is_stop_word(tokens[-1], one) for one in (language, *languages)):
            terms.append(tokens[-1])
    start = "" if CJK_RUN.match(runs[0]) else " "
    end = "" if CJK_RUN.match(runs[-1]) else " "
    return Variant(tuple(dict.fromkeys(terms)), f"{start}{' '.join(tokens)}{end}")

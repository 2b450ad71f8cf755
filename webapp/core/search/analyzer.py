"""Turn texts into tokens: what the index finds them by, and what phrases are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from webapp.core.text.words import ASCII_TOKEN, CJK_RUN, TOKEN, bigrams

from .stems import fold, is_stop_word, languages_of, stem, token_of

BREAK = "|"  # between two texts of a document: no phrase goes on across it


class Analysis(NamedTuple):
    """The tokens of a document's texts, and the terms that it is indexed under, each in order."""

    tokens: tuple[str, ...]
    terms: tuple[str, ...]


def analyze(texts: Iterable[str], language: str) -> Analysis:
    """Analyze the texts of a document. `language`: ISO 639-1, "" if it is not known.

    A word is indexed under its stem, unless it is a stop word. A run of Chinese, Japanese or
    Korean is indexed under its pairs of characters.
    """
    tokens: list[str] = []
    terms: dict[str, None] = {}
    for text in filter(None, texts):
        if tokens:
            tokens.append(BREAK)
        for run in tokenize(text):
            if not run.isascii() and CJK_RUN.match(run):
                tokens.append(run)
                terms.update(dict.fromkeys(bigrams(run) or [run]))
                continue
            token, is_term = token_of(run, language)
            if token:
                tokens.append(token)
            if is_term:
                terms[token] = None
    return Analysis(tuple(tokens), tuple(terms))


def tokenize(text: str) -> Iterator[str]:
    """Yield the folded words of a text, and its runs of Chinese, Japanese and Korean."""
    folded = fold(text)
    yield from (ASCII_TOKEN if folded.isascii() else TOKEN).findall(folded)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which a query may match: all `terms`, and the `phrase` in the tokens.

    `phrase` has a space at an end where no word may go on; it is "" if the terms are enough.
    """

    terms: tuple[str, ...]
    phrase: str = ""


def variants(words: str) -> tuple[Variant, ...]:
    """Return the ways in which words, or a phrase of several, may stand in a document.

    There is one for each distinct sequence of stems. Stop words have no terms: they are looked for
    in the tokens of the documents in their language.
    """
    runs = list(tokenize(words))
    if len(runs) == 1 and not CJK_RUN.match(runs[0]):
        return tuple(dict.fromkeys(_word(runs[0], one) for one in languages_of(runs[0])))
    stemmed_in = dict.fromkeys(
        language for run in runs if not CJK_RUN.match(run) for language in languages_of(run)
    )
    return tuple(dict.fromkeys(_sequence(runs, one) for one in stemmed_in or ("",)))


def _word(word: str, language: str) -> Variant:
    stemmed = stem(word, language)
    if is_stop_word(stemmed, language):
        return Variant((f"lang={language}",), f" {stemmed} ")
    return Variant((stemmed,))


def _sequence(runs: list[str], language: str) -> Variant:
    """Return the variant of a phrase whose words are all stemmed in one language."""
    terms: list[str] = []
    tokens: list[str] = []
    for run in runs:
        if CJK_RUN.match(run):
            tokens.append(run)
            terms += bigrams(run)
        elif token := stem(run, language):
            tokens.append(token)
            if not is_stop_word(token, language):
                terms.append(token)
    if not terms and language:
        terms.append(f"lang={language}")
    start = "" if CJK_RUN.match(runs[0]) else " "
    end = "" if CJK_RUN.match(runs[-1]) else " "
    return Variant(tuple(dict.fromkeys(terms)), f"{start}{' '.join(tokens)}{end}")

"""Turn texts into tokens: the index finds texts by them, and compares phrases with them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import regex

from webapp.core.text.folding import ASCII_TOKEN, CJK_RUN, TOKEN, WORD, bigrams, fold

from .stems import is_stop_word, languages_of, stem, token_of

BREAK = "|"  # between two texts of a document: no phrase crosses it


# Marks inside a word: "don't" is two words, and is found as "dont" too. It begins where a word
# does, so that a long one is looked through once.
MARKED_WORD: Final[Any] = regex.compile(f"(?V1)(?<!{WORD}){WORD}++(?:['\"]{WORD}++)++")
MARK: Final = re.compile("['\"]")


class Analysis(NamedTuple):
    """The tokens of a document's texts, and the terms that it is indexed under, each in order."""

    tokens: tuple[str, ...]
    terms: tuple[str, ...]


def analyze(texts: Iterable[str], language: str) -> Analysis:
    """Analyze the texts of a document. `language`: ISO 639-1, "" if it is not known.

    A word is indexed under its stem, unless it is a stop word. Words with an apostrophe between
    them are also indexed as one. A run of Chinese, Japanese or Korean is indexed under its pairs of
    characters.
    """
    tokens: list[str] = []
    terms: dict[str, None] = {}
    for text in filter(None, texts):
        if tokens:
            tokens.append(BREAK)
        folded = fold(text)
        for run in _tokens(folded):
            if not run.isascii() and CJK_RUN.match(run):
                tokens.append(run)
                terms.update(dict.fromkeys(bigrams(run) or [run]))
                continue
            token, is_term = token_of(run, language)
            if token:
                tokens.append(token)
            if is_term:
                terms[token] = None
        terms.update(dict.fromkeys(_joined_terms(folded, language)))
    return Analysis(tuple(tokens), tuple(terms))


def _tokens(folded: str) -> list[str]:
    """Return the words of a folded text, and its runs of Chinese, Japanese and Korean."""
    found: list[str] = (ASCII_TOKEN if folded.isascii() else TOKEN).findall(folded)
    return found


def _joined_terms(folded: str, language: str) -> Iterator[str]:
    """Yield the terms of words with marks inside, without the marks."""
    for word in MARKED_WORD.findall(folded) if MARK.search(folded) else ():
        token, is_term = token_of(MARK.sub("", word), language)
        if is_term:
            yield token


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which a query may match: all `terms`, and the `phrase` in the tokens.

    `phrase` has a space at an end where no word may go on; it is "" if the terms are enough.
    """

    terms: tuple[str, ...]
    phrase: str = ""


def variants(words: str) -> tuple[Variant, ...]:
    """Return the ways in which words, or a phrase of several, may appear in a document.

    There is one for each distinct sequence of stems. Stop words have no terms: they are found in
    the tokens of the documents in their language. "don't" is looked for as "dont" too.
    """
    folded = fold(words)
    joined = MARKED_WORD.sub(lambda word: MARK.sub("", word[0]), folded)
    if joined == folded:
        return _variants(folded)
    return tuple(dict.fromkeys((*_variants(folded), *_variants(joined))))


def _variants(folded: str) -> tuple[Variant, ...]:
    runs = _tokens(folded)
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

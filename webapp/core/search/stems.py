"""Stems and stop words of the languages that Snowball knows.

A post is indexed under the stems of its own language. A query has no language that we can trust,
so it looks for the stems of all languages that write with the word's alphabet.
"""

import threading
from functools import lru_cache
from unicodedata import normalize

import regex
import Stemmer
from stop_words import LANGUAGE_MAPPING, get_stop_words

from webapp.core.text.folding import fold

TERM_MAX = 40  # characters of a term; the rest of a longer word is ignored
STOP_WORD_MAX = 3  # characters: longer words of the lists say too much to be left out
LATIN = {
    **{"ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "en": "english"},
    **{"eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fi": "finnish"},
    **{"fr": "french", "ga": "irish", "hu": "hungarian", "id": "indonesian", "it": "italian"},
    **{"lt": "lithuanian", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese"},
    **{"ro": "romanian", "sv": "swedish", "tr": "turkish"},
}
CYRILLIC = {"ru": "russian", "sr": "serbian"}
ARABIC = {"ar": "arabic", "fa": "persian"}
DEVANAGARI = {"hi": "hindi", "ne": "nepali"}
OTHERS = {"el": "greek", "hy": "armenian", "ta": "tamil", "yi": "yiddish"}
ALGORITHMS = {**LATIN, **CYRILLIC, **ARABIC, **DEVANAGARI, **OTHERS}
ALPHABETS = (
    (regex.compile(r"\p{Latin}"), tuple(LATIN)),
    (regex.compile(r"\p{Cyrillic}"), tuple(CYRILLIC)),
    (regex.compile(r"\p{Arabic}"), tuple(ARABIC)),
    (regex.compile(r"\p{Devanagari}"), tuple(DEVANAGARI)),
    (regex.compile(r"\p{Greek}"), ("el",)),
    (regex.compile(r"\p{Armenian}"), ("hy",)),
    (regex.compile(r"\p{Tamil}"), ("ta",)),
    (regex.compile(r"\p{Hebrew}"), ("yi",)),
)
ACCENTS = regex.compile(r"[\u0300-\u036f]+")
_stemmers = threading.local()  # a stemmer keeps state, so each thread has its own


def stem(word: str, language: str) -> str:
    """Return the stem of a folded word, without accents. `language`: ISO 639-1; others: no stem."""
    algorithm = ALGORITHMS.get(language)
    stemmed = _stemmer(algorithm).stemWord(word) if algorithm else word
    return without_accents(stemmed or word).strip()[:TERM_MAX]


def languages_of(word: str) -> tuple[str, ...]:
    """Return "" for no stems, and the languages of a word's alphabet that have stems."""
    return ("", *next((found for letter, found in ALPHABETS if letter.match(word)), ()))


@lru_cache(100_000)
def token_of(word: str, language: str) -> tuple[str, bool]:
    """Return the stem of a folded word, and True if documents are indexed under it."""
    token = stem(word, language)
    return token, bool(token) and not is_stop_word(token, language)


def is_stop_word(stemmed: str, language: str) -> bool:
    """Return True if a stem is too common in a language to be indexed."""
    return stemmed in _stop_words(language)


@lru_cache(64)
def _stop_words(language: str) -> frozenset[str]:
    """Return the stems of a language's stop words: all forms of a word are treated alike."""
    if language not in LANGUAGE_MAPPING:
        return frozenset()
    words = (word for word in map(fold, get_stop_words(language)) if len(word) <= STOP_WORD_MAX)
    return frozenset(stem(word, language) for word in words)


def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    if not hasattr(_stemmers, algorithm):
        setattr(_stemmers, algorithm, Stemmer.Stemmer(algorithm))
    found: Stemmer.Stemmer = getattr(_stemmers, algorithm)
    return found


def without_accents(text: str) -> str:
    """Return a text without the accents of its letters."""
    if text.isascii():
        return text
    return normalize("NFC", ACCENTS.sub("", normalize("NFD", text)))

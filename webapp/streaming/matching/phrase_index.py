"""Find values by the phrases in a text."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from . import terms
from .postings import Postings

V = TypeVar("V", bound=Hashable)


class PhraseIndex(Generic[V]):
    """Values by phrase.

    A phrase that is itself an index term is found by looking that up. Any other phrase is listed
    under one of its index terms, the one with the fewest phrases. It is only compared with texts
    that have this term.
    """

    def __init__(self) -> None:
        self._values: Postings[str, V] = Postings()  # phrase → values
        self._phrases_by_term: Postings[str, str] = Postings()
        self._term_by_phrase: dict[str, str] = {}

    def add(self, phrase: str, value: V) -> None:
        """Add a value to a phrase, which must be normalized."""
        if phrase not in self._values:
            candidates = terms.index_terms_of(phrase)
            if phrase not in candidates:
                term = min(candidates, key=self._cost)
                self._term_by_phrase[phrase] = term
                self._phrases_by_term.add(term, phrase)
        self._values.add(phrase, value)

    def discard(self, phrase: str, value: V) -> None:
        """Remove a value from a phrase."""
        self._values.discard(phrase, value)
        if phrase in self._term_by_phrase and phrase not in self._values:
            self._phrases_by_term.discard(self._term_by_phrase.pop(phrase), phrase)

    def find(self, searched: terms.SearchText) -> Iterator[V]:
        """Yield the values of all phrases in a text, some more than once."""
        for term in terms.index_terms(searched):
            yield from self._values.values(term)
            for phrase in self._phrases_by_term.values(term):
                if terms.phrase_matches(phrase, searched):
                    yield from self._values.values(phrase)

    def _cost(self, term: str) -> tuple[int, int]:
        """Return a sort key: terms with few phrases first, then long terms."""
        return self._phrases_by_term.count(term), -len(term)

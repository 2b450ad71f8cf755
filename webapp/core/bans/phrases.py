"""Find words and phrases in texts: whole words, and parts of runs in scripts without spaces."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import regex

from webapp.core.search.stems import without_accents
from webapp.core.text.folding import ASCII_TOKEN, CJK, WORD_CHARS, fold

# Scripts without spaces between words: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese …
UNSPACED: Final = rf"{CJK}\p{{Line_Break=Complex_Context}}"
TOKEN: Final[Any] = regex.compile(rf"(?V1)[[{WORD_CHARS}]--[{UNSPACED}]]+|[{UNSPACED}]+")
RUN: Final[Any] = regex.compile(rf"(?V1)[{UNSPACED}]")
Phrase = tuple[str, ...]  # tokens


def fold_text(text: str) -> str:
    """Return a text as it is compared: without differences of case, width and accents."""
    return without_accents(fold(text))


def tokens_of(folded: str) -> Phrase:
    """Return the words of a folded text, and its runs of scripts without spaces."""
    return tuple((ASCII_TOKEN if folded.isascii() else TOKEN).findall(folded))


class PhraseIndex:
    """Finds any of many phrases in a text, in a time that hardly depends on their number."""

    def __init__(self) -> None:
        self._by_word: dict[str, list[Phrase]] = {}
        self._by_pair: dict[str, list[Phrase]] = {}  # of those that begin with a run
        self._by_letter: dict[str, list[Phrase]] = {}  # of those that begin with a run of one

    def add(self, phrase: Phrase) -> None:
        """Add a phrase, of one token or more."""
        first = phrase[0]
        if not RUN.match(first):
            self._by_word.setdefault(first, []).append(phrase)
        elif len(first) > 1:
            self._by_pair.setdefault(first[:2], []).append(phrase)
        else:
            self._by_letter.setdefault(first, []).append(phrase)

    def find(self, tokens: Phrase) -> Iterator[Phrase]:
        """Yield the phrases in the tokens of a text."""
        for index, token in enumerate(tokens):
            if token.isascii() or not RUN.match(token):
                for phrase in self._by_word.get(token, ()):
                    if _goes_on(phrase, tokens, index):
                        yield phrase
                continue
            for size, known in ((1, self._by_letter), (2, self._by_pair)):
                if known:
                    places = (at for at in range(len(token)) if token[at : at + size] in known)
                    for at in places:
                        yield from _beginning_at(at, known[token[at : at + size]], tokens, index)


def _beginning_at(
    at: int, phrases: Iterable[Phrase], tokens: Phrase, index: int
) -> Iterator[Phrase]:
    """Yield the phrases that begin in a run. Those of several tokens begin with its end."""
    run = tokens[index]
    for phrase in phrases:
        first = phrase[0]
        if len(phrase) == 1:
            if run.startswith(first, at):
                yield phrase
        elif run[at:] == first and _goes_on(phrase, tokens, index):
            yield phrase


def _goes_on(phrase: Phrase, tokens: Phrase, index: int) -> bool:
    """Return True if the tokens after the first are those of a phrase. The last may be longer."""
    rest = phrase[1:]
    following = tokens[index + 1 : index + len(phrase)]
    if rest == following:
        return True
    return (
        len(rest) == len(following)
        and rest[:-1] == following[:-1]
        and bool(RUN.match(rest[-1]))
        and following[-1].startswith(rest[-1])
    )

"""A plain model of search: which texts a query finds. Its words are alike in every language."""

from dataclasses import dataclass

WORDS = ("zorp", "quux", "blim", "vrok")
LANGUAGE_FREE = "123"  # digits keep the language of a text unknown


@dataclass(frozen=True)
class Part:
    """A condition of a query: one of `phrases` is in a text, or none is if it is negated."""

    phrases: tuple[tuple[str, ...], ...]
    negated: bool = False

    def text(self) -> str:
        """Return it as typed into the search box."""
        sign = "-" if self.negated else ""
        return " OR ".join(
            f'{sign}"{" ".join(words)}"' if len(words) > 1 else f"{sign}{words[0]}"
            for words in self.phrases
        )

    def matches(self, tokens: list[str]) -> bool:
        """Return True if it holds for the words of a text."""
        found = any(_stands_in(words, tokens) for words in self.phrases)
        return found != self.negated


def query_of(parts: list[Part], login: str) -> str:
    """Return a query. `login`: only posts of this member; "" for all."""
    texts = [part.text() for part in parts]
    return " ".join([*texts, f"from:{login}"] if login else texts)


def matches(parts: list[Part], text: str) -> bool:
    """Return True if all conditions hold for a text."""
    return all(part.matches(text.split()) for part in parts)


def _stands_in(words: tuple[str, ...], tokens: list[str]) -> bool:
    size = len(words)
    return any(tuple(tokens[at : at + size]) == words for at in range(len(tokens)))

"""Match statuses against queries by the rules alone, without an index."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from unicodedata import category, name, normalize

from webapp.streaming.matching.terms import Subject

CJK_NAMES = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY IDEOGRAPH",
    "IDEOGRAPHIC",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
)


@dataclass(frozen=True)
class Query:
    """The parameters of a stream as a client writes them. A box is west, south, east, north."""

    track: str = ""
    follow: frozenset[int] = frozenset()
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    languages: tuple[str, ...] = ()
    level: str = "none"

    @cached_property
    def phrases(self) -> list[list[str]]:
        """Return the phrases of `track`: a comma is OR, white space is AND."""
        phrases = [[fold(term) for term in phrase.split()] for phrase in self.track.split(",")]
        return [terms for terms in phrases if terms]


class ParsedStatus:
    """The parts of a status that queries match."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.plain = list(plain_parts(subject))
        self.names = [fold(e.text) for e in subject.entities if e.kind in ("hashtag", "mention")]
        self.urls = [display_url(e.text) for e in subject.entities if e.kind == "url"]
        self.whole_urls = [
            form for e in subject.entities if e.kind == "url" for form in url_forms(e.text)
        ]

    def matches(self, query: Query) -> bool:
        """Return True if track, follow or locations match, and no other parameter excludes it."""
        return self.passes_filters(query) and (
            self.tracked(query) or self.followed(query) or self.located(query)
        )

    def passes_filters(self, query: Query) -> bool:
        """Return True if neither language, level nor protection excludes the status."""
        subject = self.subject
        langs = {subject.lang.lower(), subject.lang.lower().split("-")[0]}
        if subject.protected:
            return False
        if query.languages and not any(wanted.lower() in langs for wanted in query.languages):
            return False
        if query.level == "low":
            return not subject.sensitive
        if query.level == "medium":
            return not subject.sensitive and not subject.reply_to
        return True

    def tracked(self, query: Query) -> bool:
        return any(all(self.has(term) for term in phrase) for phrase in query.phrases)

    def followed(self, query: Query) -> bool:
        return any(
            uid in query.follow
            for uid in (
                self.subject.author,
                self.subject.boosted_author,
                self.subject.reply_to,
                *self.subject.boosters,
            )
        )

    def located(self, query: Query) -> bool:
        if self.subject.point is None:
            return False
        lat, long = self.subject.point
        return any(
            west <= long <= east and south <= lat <= north
            for west, south, east, north in query.boxes
        )

    def has(self, term: str) -> bool:
        """Return True if the status contains a term.

        A term with punctuation matches in the text, or matches a complete URL. Another term also
        matches in hashtags, mentions and URLs.
        """
        if has_punctuation(term):
            return any(has_phrase(term, part) for part in self.plain) or term in self.whole_urls
        return any(has_phrase(term, part) for part in [*self.plain, *self.names, *self.urls])


def has_phrase(term: str, text: str) -> bool:
    """Return True if a text contains a term that begins and ends at word boundaries."""
    return term in text and any(
        text.startswith(term, start)
        and not within_word(text, start)
        and not within_word(text, start + len(term))
        for start in range(len(text))
    )


def within_word(text: str, index: int) -> bool:
    """Return True if the characters before and after an index belong to one word."""
    return 0 < index < len(text) and in_word(text[index - 1]) and in_word(text[index])


@lru_cache(None)
def in_word(char: str) -> bool:
    """Return True for letters, marks, numbers, underscores and joiners.

    Characters of Chinese, Japanese and Korean do not count: each is a word of its own.
    """
    return (
        category(char)[0] in "LMN" or category(char) == "Pc" or char in "\u200c\u200d·"
    ) and not is_cjk(char)


@lru_cache(None)
def is_cjk(char: str) -> bool:
    return category(char)[0] in "LMN" and any(part in name(char, "") for part in CJK_NAMES)


@lru_cache(None)
def has_punctuation(term: str) -> bool:
    return any(not in_word(char) and not is_cjk(char) for char in term)


def plain_parts(subject: Subject) -> Iterator[str]:
    """Yield the text between hashtags, mentions and URLs. A cashtag belongs to the text."""
    start = 0
    for entity in subject.entities:
        if entity.kind != "cashtag":
            yield fold(subject.text[start : entity.start])
            start = entity.end
    yield fold(subject.text[start:])


def display_url(url: str) -> str:
    """Return a URL without its scheme, and without `www.` if a domain remains."""
    url = fold(url).removeprefix("https://").removeprefix("http://")
    host = url.split("/")[0].split("?")[0].split(":")[0]
    return url.removeprefix("www.") if host.count(".") > 1 else url


def url_forms(url: str) -> Iterator[str]:
    scheme = "http://" if fold(url).startswith("http://") else "https://"
    for form in (display_url(url), display_url(url).removesuffix("/")):
        yield form
        yield scheme + form


@lru_cache(10_000)
def fold(text: str) -> str:
    """Fold case, normalise, and remove variation selectors."""
    text = text.replace("\ufe0e", "").replace("\ufe0f", "")
    return normalize("NFC", normalize("NFD", text).casefold())

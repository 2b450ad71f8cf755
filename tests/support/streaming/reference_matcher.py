"""A matcher that follows the rules word by word, without an index, to compare with."""

from __future__ import annotations

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
class Ask:
    """What a client asks for, as it writes it; boxes are west, south, east, north."""

    track: str = ""
    follow: frozenset[int] = frozenset()
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    languages: tuple[str, ...] = ()
    level: str = "none"

    @cached_property
    def phrases(self) -> list[list[str]]:
        """A comma is OR, white space is AND."""
        phrases = [[fold(term) for term in phrase.split()] for phrase in self.track.split(",")]
        return [terms for terms in phrases if terms]


class Reading:
    """A status, taken apart once."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.plain = list(plain_parts(subject))
        self.names = [fold(e.text) for e in subject.entities if e.kind in ("hashtag", "mention")]
        self.urls = [shown(e.text) for e in subject.entities if e.kind == "url"]
        self.whole_urls = [
            form for e in subject.entities if e.kind == "url" for form in url_forms(e.text)
        ]

    def asked_for(self, ask: Ask) -> bool:
        """Track, follow and locations are combined with OR; the rest narrows."""
        return self.left_by(ask) and (self.tracked(ask) or self.followed(ask) or self.located(ask))

    def left_by(self, ask: Ask) -> bool:
        subject = self.subject
        langs = {subject.lang.lower(), subject.lang.lower().split("-")[0]}
        if subject.protected:
            return False
        if ask.languages and not any(wanted.lower() in langs for wanted in ask.languages):
            return False
        if ask.level == "low":
            return not subject.sensitive
        if ask.level == "medium":
            return not subject.sensitive and not subject.reply_to
        return True

    def tracked(self, ask: Ask) -> bool:
        return any(all(self.has(term) for term in phrase) for phrase in ask.phrases)

    def followed(self, ask: Ask) -> bool:
        return any(
            uid in ask.follow
            for uid in (self.subject.author, self.subject.boosted_author, self.subject.reply_to)
        )

    def located(self, ask: Ask) -> bool:
        if self.subject.point is None:
            return False
        lat, long = self.subject.point
        return any(
            west <= long <= east and south <= lat <= north for west, south, east, north in ask.boxes
        )

    def has(self, term: str) -> bool:
        """A term with punctuation is looked for in the text, or is a whole URL; each other one is looked for
        everywhere.
        """
        if has_punctuation(term):
            return any(stands_in(term, part) for part in self.plain) or term in self.whole_urls
        return any(stands_in(term, part) for part in [*self.plain, *self.names, *self.urls])


def stands_in(term: str, text: str) -> bool:
    """Whether a term is somewhere in a text, and no word goes on across its ends."""
    return term in text and any(
        text.startswith(term, at) and not goes_on(text, at) and not goes_on(text, at + len(term))
        for at in range(len(text))
    )


def goes_on(text: str, at: int) -> bool:
    return 0 < at < len(text) and in_word(text[at - 1]) and in_word(text[at])


@lru_cache(None)
def in_word(char: str) -> bool:
    """Letters, marks, numbers, underscores and joiners; but each character of Chinese, Japanese and Korean is a word of
    its own.
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
    """The text around hashtags, mentions and URLs. (A cashtag stays in it.)"""
    at = 0
    for entity in subject.entities:
        if entity.kind != "cashtag":
            yield fold(subject.text[at : entity.start])
            at = entity.end
    yield fold(subject.text[at:])


def shown(url: str) -> str:
    """Without its scheme, and without `www.` where a domain is left."""
    url = fold(url).removeprefix("https://").removeprefix("http://")
    host = url.split("/")[0].split("?")[0].split(":")[0]
    return url.removeprefix("www.") if host.count(".") > 1 else url


def url_forms(url: str) -> Iterator[str]:
    scheme = "http://" if fold(url).startswith("http://") else "https://"
    for form in (shown(url), shown(url).removesuffix("/")):
        yield form
        yield scheme + form


@lru_cache(10_000)
def fold(text: str) -> str:
    """Full case folding; canonically equivalent texts are one; no variation selectors."""
    text = text.replace("\ufe0e", "").replace("\ufe0f", "")
    return normalize("NFC", normalize("NFD", text).casefold())

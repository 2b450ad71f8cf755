"""A filter's title and phrases, as a client changes them."""

from __future__ import annotations

from typing import Any

from webapp.client_api.entities.filter import phrase_id
from webapp.client_api.http.parameters import invalid
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import Unacceptable
from webapp.statuses.filters import store
from webapp.statuses.filters.filter_set import Filter

YES = ("true", "1", "on", "True")
NEW = ("", True)  # a phrase of which nothing was sent
Phrases = list[tuple[str, bool]]  # each with whether it must be whole words


def clean_title(text: str) -> str:
    """Return the title of a filter. Raises Invalid."""
    try:
        return clean_line(text, store.WORDS_MAX)
    except Unacceptable:
        raise invalid("Title is too long") from None


def phrases_of(found: Filter) -> Phrases:
    """Return the phrases of a filter."""
    return [(one, found.is_whole(one)) for one in found.phrases]


def phrases_after(found: Filter, rows: list[dict[str, Any]]) -> Phrases:
    """Return the phrases of a filter after a client's rows: those with an id change a phrase."""
    phrases = {str(phrase_id(found, at)): one for at, one in enumerate(phrases_of(found))}
    added = []
    for row in rows:
        number, sent = str(row.get("id", "")), row.get("whole_word")
        before, was_whole = phrases.get(number, NEW)
        text = "" if str(row.get("_destroy")) in YES else str(row.get("keyword") or before)
        whole = was_whole if sent is None else str(sent) in YES
        if number in phrases:
            phrases[number] = text, whole
        else:
            added.append((text, whole))
    return [*phrases.values(), *added]


def with_phrase(found: Filter, at: int, text: str, whole: bool | None) -> Filter:
    """Return a filter with a phrase in a place. What was not sent stays. Raises Invalid."""
    phrases = phrases_of(found)
    before, was_whole = phrases[at] if at < len(phrases) else NEW
    phrases[at : at + 1] = [(text or before, was_whole if whole is None else whole)]
    return with_phrases(found, phrases)


def with_phrases(found: Filter, phrases: Phrases) -> Filter:
    """Return a filter with these phrases, each once. Raises Invalid."""
    try:
        words = {clean_line(text, store.WORDS_MAX): is_whole for text, is_whole in phrases}
    except Unacceptable:
        raise invalid("Keyword is too long") from None
    words.pop("", None)
    if not (words or found.title):
        raise invalid("Keyword can't be blank")
    if len(words) > store.PHRASES_MAX:
        raise invalid(f"At most {store.PHRASES_MAX} keywords in a filter")
    return found.with_phrases(words)

"""A filter's title and phrases, as a client changes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from webapp.client_api.entities.filter import phrase_id
from webapp.client_api.http.parameters import invalid
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import Unacceptable
from webapp.statuses.filters import store
from webapp.statuses.filters.filter_set import Filter

YES = ("true", "1", "on", "True")


def clean_title(text: str) -> str:
    """Return the title of a filter. Raises Invalid."""
    try:
        return clean_line(text, store.WORDS_MAX)
    except Unacceptable:
        raise invalid("Title is too long") from None


def phrases_after(found: Filter, rows: list[dict[str, Any]]) -> list[str]:
    """Return the phrases of a filter after a client's rows: those with an id change a phrase."""
    phrases = {str(phrase_id(found, at)): one for at, one in enumerate(found.phrases)}
    added = []
    for row in rows:
        number, text = str(row.get("id", "")), str(row.get("keyword") or "")
        is_removed = str(row.get("_destroy")) in YES
        if number in phrases:
            phrases[number] = "" if is_removed else text or phrases[number]
        elif not is_removed:
            added.append(text)
    return [*phrases.values(), *added]


def with_phrases(found: Filter, lines: list[str], whole_word: bool) -> Filter:
    """Return a filter with these phrases, each once. Raises Invalid."""
    try:
        cleaned = [clean_line(line, store.WORDS_MAX) for line in lines]
    except Unacceptable:
        raise invalid("Keyword is too long") from None
    words = list(dict.fromkeys(line for line in cleaned if line))
    if not (words or found.title):
        raise invalid("Keyword can't be blank")
    if len(words) > store.PHRASES_MAX:
        raise invalid(f"At most {store.PHRASES_MAX} keywords in a filter")
    return replace(found, words="\n".join(words), whole_word=whole_word)

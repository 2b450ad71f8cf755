"""A filter as a client changes it: its title and phrases, where it applies, and until when."""

import time
from dataclasses import replace
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from webapp.client_api.entities.filter import known_places, phrase_id
from webapp.client_api.http import Parameters, Seconds, cleaned, invalid, is_on, rows
from webapp.core.forms.fields import normalize_line
from webapp.statuses import Filter
from webapp.statuses.filters import store

NEW = ("", True)  # a phrase of which nothing was sent
Phrases = list[tuple[str, bool]]  # each with whether it must be whole words


class PlaceParameters(Parameters):
    """Where a filter applies, and until when. `expires_in`: seconds; sent empty: for good."""

    context: tuple[str, ...] = ()
    expires_in: Seconds | UnsetType | None = UNSET

    def placed(self, found: Filter, hide: bool | None) -> Filter:
        """Return a filter with what was sent of this; `hide`: None keeps it. Raises Invalid."""
        kept = found.contexts if found.number else ()
        contexts = known_places(self.context) if self.context else kept
        if not contexts:
            raise invalid("Context can't be blank")
        expires_at = found.expires_at
        if self.expires_in is not UNSET:
            expires_at = int(time.time()) + self.expires_in if self.expires_in else 0
        is_hiding = found.hide if hide is None else hide
        return replace(found, contexts=contexts, expires_at=expires_at, hide=is_hiding)


class FilterParameters(PlaceParameters):
    """A filter. `keywords_attributes`: rows of its phrases."""

    title: str | None = None
    filter_action: Literal["", "warn", "hide", "blur"] = ""
    keywords_attributes: Any = None

    def changed(self, found: Filter) -> Filter:
        """Return a filter with what was sent. One with a title needs no phrase. Raises Invalid."""
        placed = self.placed(found, self.filter_action == "hide" if self.filter_action else None)
        if self.title:
            title = cleaned("Title", normalize_line, self.title, store.WORDS_MAX)
            placed = replace(placed, title=title)
        return _with_rows(placed, rows(self.keywords_attributes))


def phrases_of(found: Filter) -> Phrases:
    """Return the phrases of a filter."""
    return [(one, found.is_whole(one)) for one in found.phrases]


def _with_rows(found: Filter, sent: list[dict[str, Any]]) -> Filter:
    """Return a filter after a client's rows: those with an id change a phrase, or remove it."""
    gone = {str(row.get("id")) for row in sent if is_on(row.get("_destroy"))}
    phrases = phrases_of(found)
    found = found.with_phrases(
        {text: whole for text, whole in phrases if str(phrase_id(found, text)) not in gone}
    )
    for row in sent:
        if not is_on(row.get("_destroy")):
            numbers = [str(phrase_id(found, text)) for text in found.phrases]
            number, whole = str(row.get("id", "")), row.get("whole_word")
            at = numbers.index(number) if number in numbers else len(numbers)
            is_whole = None if whole is None else is_on(whole)
            found = with_phrase(found, at, str(row.get("keyword") or ""), is_whole)
    return with_phrases(found, phrases_of(found))


def phrase_text(text: str) -> str:
    """Return a phrase as a filter has it. Raises Invalid for a blank one."""
    if phrase := cleaned("Keyword", normalize_line, text, store.WORDS_MAX):
        return phrase
    raise invalid("Keyword can't be blank")


def with_phrase(found: Filter, at: int, text: str, whole: bool | None) -> Filter:
    """Return a filter with a phrase in a place, or a new one. What was not sent stays.

    A changed phrase keeps its number, and no two have the same. Raises Invalid.
    """
    phrases = phrases_of(found)
    before, was_whole = phrases[at] if at < len(phrases) else NEW
    phrase = phrase_text(text or before)
    phrases[at : at + 1] = [(phrase, was_whole if whole is None else whole)]
    changed = with_phrases(found, phrases)
    if phrase in found.phrases:
        return changed
    number = phrase_id(found, before or phrase)
    taken = {phrase_id(found, one) for one in found.phrases if one != before}
    while number in taken:
        number += 1
    renamed = () if number == phrase_id(changed, phrase) else ((phrase, number),)
    return replace(changed, renamed=changed.renamed + renamed)


def with_phrases(found: Filter, phrases: Phrases) -> Filter:
    """Return a filter with these phrases, each once. Raises Invalid."""
    words = {phrase_text(text): is_whole for text, is_whole in phrases}
    if not (words or found.title):
        raise invalid("Keyword can't be blank")
    if len(words) > store.PHRASES_MAX:
        raise invalid(f"At most {store.PHRASES_MAX} keywords in a filter")
    return found.with_phrases(words)

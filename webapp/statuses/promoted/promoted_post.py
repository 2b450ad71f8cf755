"""Promoted posts: one among the posts of a page, marked. An optional room may offer them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import current_app
from markupsafe import escape

from webapp.core.i18n import preferences
from webapp.core.rendering.fragments import FragmentCache
from webapp.core.store import Read, constant
from webapp.core.text.folding import CJK_RUN, TOKEN, fold
from webapp.core.text.parser import tag_name
from webapp.core.web import Requester, unwrap
from webapp.statuses.filters.filter_set import FilterSet
from webapp.statuses.items import Boost, status_of
from webapp.statuses.listings.reply_runs import answers
from webapp.statuses.listings.timeline import Timeline
from webapp.statuses.viewer.viewer_state import EMPTY_STATE, ViewerState

PLACE = 4  # posts above a promoted one
EXTENSION = "linnet.promoted"  # of an app: the offer of the room that chooses
CJK_WORD_MAX = 4  # characters of a part of a run without spaces


@dataclass(frozen=True, slots=True)
class Promoted(Boost):
    """A public post that its author pays to show.

    `word`: that of the page for which it was chosen, "" for none. `language`: that of the readers
    whom it is for, "" for all. `showing`: what a page sends back once it was seen.
    """

    word: str = ""
    language: str = ""
    showing: str = ""


Found = tuple[Promoted, ViewerState]
Offer = Callable[[int, Sequence[str]], Read[Found | None]]  # takes a uid and the page's words
NOBODY: Read[Found | None] = constant(None)


def promoted_read(requester: Requester, words: Sequence[str] = ()) -> Read[Found | None]:
    """Read the promoted post of a member's page, None for none. Visitors are shown none.

    `words`: what the page is about, as its address says.
    """
    offer: Offer | None = unwrap(current_app).extensions.get(EXTENSION)
    if offer is None or not requester.uid:
        return NOBODY
    return offer(requester.uid, words)


def counts_of(found: Found | None) -> tuple[object, ...]:
    """Return the counts of a promoted post, without which it is equal. () for none."""
    return found[0].status.counts if found else ()


def with_promoted(page: Timeline[Any], found: Found | None, filters: FilterSet) -> Timeline[Any]:
    """Return a page with a promoted post below its first ones.

    Without it if the page is short or shows it already, or if a filter matches it.
    """
    if found is None or len(page.items) <= PLACE:
        return page
    promoted, own = found
    is_there = any(status_of(item).id == promoted.id for item in page.items)
    if is_there or (filters and filters.matching(promoted.status)):
        return page
    place = PLACE
    while place < len(page.items) and answers(page.items[place - 1], page.items[place]):
        place += 1
    items = (*page.items[:place], promoted, *page.items[place:])
    if own is EMPTY_STATE:
        return replace(page, items=items)
    state = replace(
        page.viewer_state,
        liked=page.viewer_state.liked | own.liked,
        bookmarked=page.viewer_state.bookmarked | own.bookmarked,
        boosted=page.viewer_state.boosted | own.boosted,
        votes={**page.viewer_state.votes, **own.votes},
    )
    return replace(page, items=items, viewer_state=state)


def promoted_line(fragments: FragmentCache, language: str, promoted: Promoted) -> bytes:
    """Return the line above a promoted status. All but what it reports is cached."""
    readers = preferences.LANGUAGES.get(promoted.language)
    name = readers.name if readers else ""
    arguments = promoted.booster, promoted.id, promoted.word, name
    line = fragments.get_or_render(language, "statuses/promoted.html", "promoted_by", *arguments)
    start = '<div class="boosted promoted" data-author="%d" data-showing="%s" id="boost-%d">'
    values = promoted.booster.uid, escape(promoted.showing), promoted.id
    return f"{start % values}{line}</div>\n".encode()


def page_words(text: str) -> list[str]:
    """Return the words and hashtags of a text that the words of a promotion are compared with."""
    words = dict.fromkeys(f"#{name}" for part in text.split() if (name := hashtag_of(part)))
    for run in TOKEN.findall(fold(text)):
        words.update(dict.fromkeys(_parts(run) if CJK_RUN.fullmatch(run) else (run,)))
    return list(words)


def hashtag_of(part: str) -> str:
    """Return the folded name of a hashtag with its sign, "" for anything else."""
    return tag_name(part[1:]) if part[:1] in ("#", "＃") else ""


def _parts(run: str) -> Iterable[str]:
    """Yield the parts of a run without spaces that may be words."""
    for size in range(1, CJK_WORD_MAX + 1):
        yield from (run[start : start + size] for start in range(len(run) - size + 1))

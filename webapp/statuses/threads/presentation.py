"""How pages show threads: the order that a request asks for, and the texts of replies."""

from collections.abc import Iterator
from dataclasses import replace

from flask import request

from webapp.core.rendering.templating import LinkedText, segments
from webapp.core.text.parser import Entity
from webapp.core.web import config
from webapp.pagecache.decorators import cached_for
from webapp.statuses.status import Status

from .nodes import most_liked_first
from .store import Thread

SORTED_MAX = 100  # statuses that are sorted by likes; further ones follow by time, on other pages
COUNTED_SECONDS = 60  # a page for visitors is cached: likes and votes alone do not renew it


def body_segments(linked: LinkedText) -> Iterator[tuple[str, Entity | None]]:
    """Cut a text as `segments`, without the name at its start that "Replying to" says already.

    A text that consists of the name alone is left as it is.
    """
    pieces = list(segments(linked))
    if len(pieces) > 1 and _starts_with_parent(linked, pieces[0]):
        text, entity = pieces[1]
        pieces[:2] = [(text if entity else text.lstrip(), entity)]
    return iter(pieces if any(text for text, _ in pieces) else segments(linked))


def _starts_with_parent(linked: LinkedText, first: tuple[str, Entity | None]) -> bool:
    if not isinstance(linked, Status) or not linked.reply_to_uid or not linked.in_reply_to:
        return False
    text, entity = first
    is_mention = entity is not None and entity.kind == "mention"
    return is_mention and text[1:].lower() == linked.in_reply_to.login.lower()


def replies_wanted() -> int:
    """Return how many statuses below the one of the page to read."""
    return SORTED_MAX if _is_by_likes() else config().page_size


def in_wanted_order(thread: Thread) -> Thread:
    """Return a thread by time, or with the most liked direct replies first if asked for."""
    if thread.votes or _is_by_likes():
        cached_for(COUNTED_SECONDS)
    if not _is_by_likes():
        return thread
    return replace(thread, by_likes=True, descendants=most_liked_first(thread.descendants))


def _is_by_likes() -> bool:
    return request.args.get("sort") == "likes" and not request.args.get("after")

"""The text of a reply as pages show it."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.core.rendering.templating import LinkedText, segments
from webapp.core.text.parser import Entity
from webapp.statuses.status import Status


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

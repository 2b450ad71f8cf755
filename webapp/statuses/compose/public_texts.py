"""The texts of a status that others read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webapp.statuses.values.pictures import unpack_pictures
from webapp.statuses.values.poll import unpack_poll


def public_texts(fields: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts in a status's fields: also of its poll, pictures and place."""
    yield from (fields.get(name, "") for name in ("text", "cw", "place"))
    if poll := unpack_poll(fields.get("poll"), 0):
        yield from poll.options
    yield from (picture.alt for picture in unpack_pictures(fields.get("media")))

"""Entities of a text as they are stored: JSON, [kind, text, start, end] each."""

from collections.abc import Sequence

import orjson

from .parser import Entity


def pack_entities(entities: Sequence[Entity]) -> str:
    """Return entities as stored."""
    return orjson.dumps(
        [(entity.kind, entity.text, entity.start, entity.end) for entity in entities]
    ).decode()


def unpack_entities(stored: str) -> tuple[Entity, ...]:
    """Parse stored entities."""
    return tuple(Entity(*parts) for parts in orjson.loads(stored)) if stored != "[]" else ()

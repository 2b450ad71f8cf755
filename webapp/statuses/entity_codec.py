"""How entities are stored."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from webapp.core.text.parser import Entity


def pack_entities(entities: Sequence[Entity]) -> str:
    """Entities as they are stored: JSON, one array each."""
    return orjson.dumps(
        [(entity.kind, entity.text, entity.start, entity.end) for entity in entities]
    ).decode()


def unpack_entities(stored: str) -> tuple[Entity, ...]:
    """The entities in their stored form."""
    return tuple(Entity(*parts) for parts in orjson.loads(stored)) if stored != "[]" else ()

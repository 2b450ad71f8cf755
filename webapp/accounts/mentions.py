"""The members that a text mentions. A mention of a username that nobody has is plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from webapp.core.store.client import Db
from webapp.core.text.parser import Entity

from .store import Member, get_many_by_login


def mentioned_members(db: Db, entities: Iterable[Entity]) -> dict[str, Member]:
    """Return the members that entities mention, by login in lower case.

    Two trips, none without mentions.
    """
    return get_many_by_login(db, [one.text for one in entities if one.kind == "mention"])


def link_mentions(db: Db, entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Return entities without mentions of nobody. Two trips, none without mentions."""
    found = tuple(entities)
    return without_unknown(found, mentioned_members(db, found))


def without_unknown(
    entities: Iterable[Entity], members: Mapping[str, Member]
) -> tuple[Entity, ...]:
    """Return entities without mentions of others than `members`, by login in lower case."""
    return tuple(
        entity for entity in entities if entity.kind != "mention" or entity.text.lower() in members
    )

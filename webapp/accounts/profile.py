"""What members say of themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.text.parser import Entity, extract

from . import keys

EDIT = script("accounts/lua/edit_profile.lua")
ABOUT_FIELDS = ("bio", "bio_entities", "location", "website", "header")


@dataclass(frozen=True, slots=True)
class About:
    """What a profile says beside the name. Empty where the member says nothing."""

    text: str = ""
    entities: tuple[Entity, ...] = ()
    location: str = ""
    website: str = ""
    header: str = ""  # the name of a picture (media.py)


def edit(db: Db, config: Config, uid: int, changes: Mapping[str, str]) -> None:
    """Changes a member's `name`, `bio`, `location`, `website`, `avatar`, `header` or `quoting`; an empty text takes one
    away. Raises NotFound, Forbidden, Unavailable.
    """
    values = dict(changes)
    if "bio" in values:
        values["bio_entities"] = encode_entities(values["bio"])
    fields = [part for pair in values.items() for part in pair]
    p = partition_of(uid)
    db.run(
        EDIT(
            [keys.user(uid), event_keys.outbox(p)],
            uid,
            p,
            config.outbox_max,
            *request_id_args(),
            *fields,
        )
    )


def about(db: Db, uid: int) -> About:
    """What a member says of themselves."""
    return about_from(db.run(about_command(uid)))


def about_command(uid: int) -> Command:
    """The command whose reply `about_from` reads, to fetch it in a trip with other things."""
    return ("HMGET", keys.user(uid), *ABOUT_FIELDS)


def about_from(fields: Sequence[Any]) -> About:
    """What a member says, in a reply to `about_command`."""
    bio, entities, location, website, header = fields
    parsed_entities = tuple(Entity(*parts) for parts in orjson.loads(entities)) if entities else ()
    return About(bio or "", parsed_entities, location or "", website or "", header or "")


def encode_entities(bio: str) -> str:
    """The entities of a bio as they are stored: JSON, one array each."""
    return orjson.dumps(
        [(entity.kind, entity.text, entity.start, entity.end) for entity in extract(bio)]
    ).decode()

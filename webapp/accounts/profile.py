"""The bio, location, website and header picture of a profile."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.config import Config
from webapp.core.bans.texts import check_texts
from webapp.core.store import Read, Site, gather, read, script
from webapp.core.text.entity_codec import pack_entities, unpack_entities
from webapp.core.text.parser import Entity, extract

from . import keys
from .collections.featured_tags import featured
from .store import link_mentions

EDIT = script("accounts/lua/edit_profile.lua")
ABOUT_FIELDS = (
    *("bio", "bio_entities", "location", "website", "header"),
    *("likes_hidden", "streak_badge", "chats_from"),
)
PUBLIC_TEXTS = ("name", "bio", "location", "website")


@dataclass(frozen=True, slots=True)
class About:
    """The parts of a profile that the member may leave empty."""

    text: str = ""
    entities: tuple[Entity, ...] = ()
    location: str = ""
    website: str = ""
    header: str = ""  # the name of a stored picture
    likes_hidden: bool = False  # from everybody else
    streak_badge: int = 0  # days in a row, of check-ins; 0: none
    chats_from: str = ""  # who may begin a chat with them: "followed" or "nobody"; "": everyone
    tags: tuple[str, ...] = ()  # featured hashtags, by their folded names


def edit(site: Site, uid: int, changes: Mapping[str, str]) -> None:
    """Change fields of a member's profile; an empty value removes the field. One trip.

    A bio with mentions takes two more. The fields are `name`, `bio`, `location`, `website`,
    `avatar`, `header`, `quote_policy`, `likes_hidden` and `hidden_from_search` ("1"), `chats_from`.
    Raises NotFound, Forbidden, RefusedText.
    """
    values = dict(changes)
    if "bio" in values:
        values["bio_entities"] = pack_entities(link_mentions(site.db, extract(values["bio"])))
    site.run(EDIT, uid=uid, flagged=check(site.config, values), fields=values)


def check(config: Config, changes: Mapping[str, str]) -> str:
    """Return a word in changes that moderators want to see, "" without one. Raises RefusedText."""
    return check_texts(config, *(changes.get(name, "") for name in PUBLIC_TEXTS))


def about(uid: int) -> Read[About]:
    """Read the description of a member. Empty if there is no account."""
    described = read(("HMGET", keys.user(uid), *ABOUT_FIELDS), _parse_about)
    return gather(described, featured(uid)).map(lambda found: replace(found[0], tags=found[1]))


def _parse_about(fields: Sequence[Any]) -> About:
    bio, entities, location, website, header, likes_hidden, badge, chats_from = fields
    return About(
        bio or "",
        unpack_entities(entities or "[]"),
        location or "",
        website or "",
        header or "",
        bool(likes_hidden),
        int(badge or 0),
        chats_from or "",
    )

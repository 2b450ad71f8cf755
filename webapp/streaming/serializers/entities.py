"""The JSON of the entities of a status's text, and of its pictures."""

from collections.abc import Mapping
from typing import Any

from webapp.accounts.store import Member
from webapp.core.text.parser import Entity, href
from webapp.statuses import Picture

MEDIA_SIZES = {"thumb": 0, "small": 0, "medium": 1, "large": 2}  # and places among the files
ENTITY_NAMES = {
    "hashtag": "hashtags",
    "url": "urls",
    "mention": "user_mentions",
    "cashtag": "symbols",
}
SCHEMES = ("https://", "http://")


def entities_json(
    entities: tuple[Entity, ...], mentioned: Mapping[str, Member]
) -> dict[str, list[dict[str, Any]]]:
    """Return the entities of a text by kind, each with its place in code points.

    `mentioned`: members by lower-case login; other mentions are left out.
    """
    by_name: dict[str, list[dict[str, Any]]] = {name: [] for name in ENTITY_NAMES.values()}
    for entity in entities:
        facts = _entity_facts(entity, mentioned)
        if facts:
            indices = {"indices": [entity.start, entity.end]}
            by_name[ENTITY_NAMES[entity.kind]].append(facts | indices)
    return by_name


def _entity_facts(entity: Entity, mentioned: Mapping[str, Member]) -> dict[str, Any]:
    """Return the meaning of an entity: its URL, tag or member. Empty for a mention of nobody."""
    if entity.kind == "url":
        return {
            "url": entity.text,
            "expanded_url": href(entity.text),
            "display_url": display_url(entity.text),
        }
    if entity.kind != "mention":
        return {"text": entity.text}
    member = mentioned.get(entity.text.lower())
    if member is None:
        return {}
    return {
        "screen_name": member.login,
        "name": member.name,
        "id": member.uid,
        "id_str": str(member.uid),
    }


def media_json(picture: Picture, status_url: str, site_url: str, end: int) -> dict[str, Any]:
    """Return a picture of the status at `status_url`.

    Its place is the end of the text, at `end`: the text has no link to it.
    """
    media_id = int(picture.name[-13:], 16)
    largest = len(picture.paths) - 1
    files = {size: picture.paths[min(place, largest)] for size, place in MEDIA_SIZES.items()}
    return {
        "id": media_id,
        "id_str": str(media_id),
        "type": "photo",
        "media_url": f"{site_url}{picture.path}",
        "media_url_https": f"{site_url}{picture.path}",
        "url": status_url,
        "expanded_url": status_url,
        "display_url": display_url(status_url),
        "ext_alt_text": picture.alt or None,
        "sizes": {
            size: {"w": w, "h": h, "resize": "fit", "url": f"{site_url}{path}"}
            for size, (path, w, h) in files.items()
        },
        "indices": [end, end],
    }


def display_url(url: str) -> str:
    """Return a link without its scheme."""
    return next((url[len(scheme) :] for scheme in SCHEMES if url.lower().startswith(scheme)), url)

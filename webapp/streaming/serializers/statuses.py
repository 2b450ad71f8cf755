"""The JSON of statuses and their authors."""

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from webapp.accounts.store import Member
from webapp.statuses import Place, Status

from .entities import display_url, entities_json, media_json
from .users import RelatedData, format_date, user_json

SOURCE = '<a href="{site_url}" rel="nofollow">Linnet</a>'
NO_PLACE = {"geo": None, "coordinates": None, "place": None}  # of a status without a place


def page_json(status: Status) -> dict[str, Any]:
    """Return a status as the site's own streams have it."""
    author = status.author
    return {
        "id": str(status.id),
        "created_at": status.created.isoformat(),
        "text": status.text,
        "spoiler_text": status.cw,
        "entities": [
            {"kind": entity.kind, "text": entity.text, "indices": [entity.start, entity.end]}
            for entity in status.entities
        ],
        "account": {"id": str(author.uid), "login": author.login, "name": author.name},
        "url": f"/@{author.login}/{status.id}",
    }


def status_json(status: Status, related: RelatedData, site_url: str) -> dict[str, Any]:
    """Return a status with its author and the status it quotes.

    `site_url`: the public address of the pages.
    """
    data = _flat_status_json(status, related, site_url)
    quoted = related.quoted.get(status.id)
    if quoted is None:
        return data
    url = status_url(quoted, site_url)
    link = {"url": url, "expanded": url, "display": display_url(url)}
    return data | {
        "quoted_status_permalink": link,
        "quoted_status": _flat_status_json(quoted, related, site_url),
    }


def _flat_status_json(status: Status, related: RelatedData, site_url: str) -> dict[str, Any]:
    """Return a status without the one it quotes."""
    reply = status.in_reply_to
    return {
        "created_at": format_date(status.created),
        "timestamp_ms": str(int(status.created.timestamp() * 1000)),
        "id": status.id,
        "id_str": str(status.id),
        **content_json(status, related.mentioned, site_url),
        "truncated": False,
        "source": SOURCE.format(site_url=site_url),
        "url": status_url(status, site_url),
        "in_reply_to_status_id": reply.id if reply else None,
        "in_reply_to_status_id_str": str(reply.id) if reply else None,
        "in_reply_to_user_id": reply.uid if reply else None,
        "in_reply_to_user_id_str": str(reply.uid) if reply else None,
        "in_reply_to_screen_name": reply.login if reply else None,
        "user": user_json(related.people[status.author.uid], site_url),
        **(place_json(status.place) if status.place else NO_PLACE),
        "contributors": None,
        **quote_json(status.quote),
        "retweet_count": status.boosts,
        "favorite_count": status.likes,
        "favorited": False,
        "retweeted": False,
    }


def quote_json(quote: tuple[int, int] | None) -> dict[str, Any]:
    """Return which status is quoted, by its id and its author's uid, if any."""
    quoted = {"quoted_status_id": quote[0], "quoted_status_id_str": str(quote[0])} if quote else {}
    return {"is_quote_status": quote is not None, **quoted}


def content_json(status: Status, mentioned: Mapping[str, Member], site_url: str) -> dict[str, Any]:
    """Return the content of a status, with fields that follow from it: all that an edit changes."""
    entities = entities_json(status.entities, mentioned)
    url, end = status_url(status, site_url), len(status.text)
    media_items = [media_json(picture, url, site_url, end) for picture in status.pictures]
    return {
        "text": status.text,
        "spoiler_text": status.cw,
        "entities": entities | {"media": media_items[:1]} if media_items else entities,
        **({"extended_entities": {"media": media_items}} if media_items else {}),
        "possibly_sensitive": status.covers_pictures,
        "filter_level": "none" if status.cw else "low" if status.in_reply_to else "medium",
        "lang": status.lang or "und",
    }


def place_json(place: Place) -> dict[str, Any]:
    """Return the place of a status. `geo` has the latitude first, `coordinates` the longitude."""
    if place.point is None:
        return NO_PLACE | {"place": _named_place_json(place.name, "", None)}
    lat, long = place.point
    box = {"type": "Polygon", "coordinates": [[[long, lat]] * 4]}
    named_place = _named_place_json(place.name, f"{lat:.6f},{long:.6f},", box)
    return {
        "geo": {"type": "Point", "coordinates": [lat, long]},
        "coordinates": {"type": "Point", "coordinates": [long, lat]},
        "place": named_place if place.name else None,
    }


def _named_place_json(name: str, location: str, box: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "id": f"{crc32(f'{location}{name}'.encode()):08x}",
        "name": name,
        "full_name": name,
        "place_type": "poi",
        "bounding_box": box,
    }


def edit_json(status: Status, mentioned: Mapping[str, Member], site_url: str) -> dict[str, Any]:
    """Return an edit of a status. Its time is that of the text, which new descriptions keep."""
    ids = {"id": status.id, "id_str": str(status.id), "user_id": status.author.uid}
    status_data = {
        **ids,
        "user_id_str": str(status.author.uid),
        **content_json(status, mentioned, site_url),
    }
    timestamp_ms = status.version or int(status.created.timestamp() * 1000)
    return {"edit": {"status": status_data, "timestamp_ms": str(timestamp_ms)}}


def status_url(status: Status, site_url: str) -> str:
    """Return the address of a status's page."""
    return f"{site_url}/@{status.author.login}/{status.id}"

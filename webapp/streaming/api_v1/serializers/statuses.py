"""The JSON of statuses and their authors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webapp.accounts.profile import About
from webapp.accounts.store import Member
from webapp.core.media import storage as media
from webapp.statuses.attachments.places import Place
from webapp.statuses.status import Status

from .entities import entities_json, media_json

SOURCE = '<a href="{site}" rel="nofollow">Linnet</a>'
NO_PLACE = {"geo": None, "coordinates": None, "place": None}  # of a status without a place


@dataclass(frozen=True, slots=True)
class Person:
    """A member with what a status says about its author."""

    member: Member
    about: About
    statuses: int
    followers: int
    following: int


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


def status_json(
    status: Status, person: Person, mentioned: Mapping[str, Member], site: str
) -> dict[str, Any]:
    """Return a status.

    `mentioned`: members by lower-case login; `site`: the public address of the pages.
    """
    reply = status.in_reply_to
    return {
        "created_at": format_date(status.created),
        "timestamp_ms": str(int(status.created.timestamp() * 1000)),
        "id": status.id,
        "id_str": str(status.id),
        **content_json(status, mentioned, site),
        "truncated": False,
        "source": SOURCE.format(site=site),
        "url": _status_url(status, site),
        "in_reply_to_status_id": reply.id if reply else None,
        "in_reply_to_status_id_str": str(reply.id) if reply else None,
        "in_reply_to_user_id": reply.uid if reply else None,
        "in_reply_to_user_id_str": str(reply.uid) if reply else None,
        "in_reply_to_screen_name": reply.login if reply else None,
        "user": user_json(person, site),
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


def content_json(status: Status, mentioned: Mapping[str, Member], site: str) -> dict[str, Any]:
    """Return what a status says, and what follows from it: all that an edit may change."""
    entities = entities_json(status.entities, mentioned)
    url, end = _status_url(status, site), len(status.text)
    media_items = [media_json(picture, url, site, end) for picture in status.pictures]
    return {
        "text": status.text,
        "spoiler_text": status.cw,
        "entities": entities | {"media": media_items[:1]} if media_items else entities,
        **({"extended_entities": {"media": media_items}} if media_items else {}),
        "possibly_sensitive": bool(status.cw),
        "filter_level": "none" if status.cw else "low" if status.in_reply_to else "medium",
        "lang": status.lang or "und",
    }


def place_json(place: Place) -> dict[str, Any]:
    """Return where a status was written.

    `geo` has the latitude first, `coordinates` the longitude.
    """
    return {
        "geo": {"type": "Point", "coordinates": [place.lat, place.long]},
        "coordinates": {"type": "Point", "coordinates": [place.long, place.lat]},
        "place": {"name": place.name, "full_name": place.name, "place_type": "poi"}
        if place.name
        else None,
    }


def user_json(person: Person, site: str) -> dict[str, Any]:
    """Return a member; `site` is the public address of the pages."""
    member, about = person.member, person.about
    picture = f"{site}{media.picture_url(member.avatar, 'avatar', 48)}" if member.avatar else None
    return {
        "id": member.uid,
        "id_str": str(member.uid),
        "name": member.name,
        "screen_name": member.login,
        "location": about.location or None,
        "url": about.website or None,
        "description": about.text or None,
        "protected": False,
        "verified": False,
        "followers_count": person.followers,
        "friends_count": person.following,
        "listed_count": 0,
        "favourites_count": 0,
        "statuses_count": person.statuses,
        "created_at": format_date(member.joined),
        "utc_offset": None,
        "time_zone": None,
        "geo_enabled": False,
        "lang": None,
        "profile_image_url": picture,
        "profile_image_url_https": picture,
        "default_profile": not about.header,
        "default_profile_image": not member.avatar,
        "following": None,
        "follow_request_sent": None,
        "notifications": None,
    }


def edit_json(status: Status, mentioned: Mapping[str, Member], site: str) -> dict[str, Any]:
    """Return an edit of a status."""
    ids = {"id": status.id, "id_str": str(status.id), "user_id": status.author.uid}
    status_data = {
        **ids,
        "user_id_str": str(status.author.uid),
        **content_json(status, mentioned, site),
    }
    return {"edit": {"status": status_data, "timestamp_ms": str(status.version)}}


def format_date(moment: datetime) -> str:
    """Return a moment as `Sat Nov 21 10:15:40 +0000 2026`, whatever the language."""
    day = "Mon Tue Wed Thu Fri Sat Sun".split()[moment.weekday()]
    month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S} +0000 {moment.year}"


def _status_url(status: Status, site: str) -> str:
    return f"{site}/@{status.author.login}/{status.id}"

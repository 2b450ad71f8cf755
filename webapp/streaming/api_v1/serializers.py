"""The JSON of the streaming API, in the shapes of Twitter's version 1.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webapp.accounts.profile import About
from webapp.accounts.store import Member
from webapp.core.media import storage as media
from webapp.core.text.parser import Entity, href
from webapp.statuses.attachments.pictures import Picture
from webapp.statuses.attachments.places import Place
from webapp.statuses.status import Status

SOURCE = '<a href="{site}" rel="nofollow">Linnet</a>'
NO_PLACE = {
    "geo": None,
    "coordinates": None,
    "place": None,
}  # of a status that does not say where it was written
MEDIA_SIZES = ("thumb", "small", "medium", "large")
SCHEMES = ("https://", "http://")


@dataclass(frozen=True, slots=True)
class Person:
    """A member with what a stream says of them beside their name."""

    member: Member
    about: About
    statuses: int
    followers: int
    following: int


def page_json(status: Status) -> dict[str, Any]:
    """A status as the site's own streams tell it."""
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
    """A status. `mentioned`: members by their logins in lower case; `site`: the public address of the pages."""
    place, reply, url = (
        status.place,
        status.in_reply_to,
        f"{site}/@{status.author.login}/{status.id}",
    )
    return {
        "created_at": format_date(status.created),
        "timestamp_ms": str(int(status.created.timestamp() * 1000)),
        "id": status.id,
        "id_str": str(status.id),
        **content_json(status, mentioned, site),
        "truncated": False,
        "source": SOURCE.format(site=site),
        "url": url,
        "in_reply_to_status_id": reply.id if reply else None,
        "in_reply_to_status_id_str": str(reply.id) if reply else None,
        "in_reply_to_user_id": reply.uid if reply else None,
        "in_reply_to_user_id_str": str(reply.uid) if reply else None,
        "in_reply_to_screen_name": reply.login if reply else None,
        "user": user_json(person, site),
        **(place_json(place) if place else NO_PLACE),
        "contributors": None,
        **quote_json(status.quote),
        "retweet_count": status.boosts,
        "favorite_count": status.likes,
        "favorited": False,
        "retweeted": False,
    }


def quote_json(quote: tuple[int, int] | None) -> dict[str, Any]:
    """Which status one quotes, if any."""
    quoted = {"quoted_status_id": quote[0], "quoted_status_id_str": str(quote[0])} if quote else {}
    return {"is_quote_status": quote is not None, **quoted}


def content_json(status: Status, mentioned: Mapping[str, Member], site: str) -> dict[str, Any]:
    """What a status says, and what follows from that: all that an edit may change."""
    entities, url = (
        entities_json(status.entities, mentioned),
        f"{site}/@{status.author.login}/{status.id}",
    )
    media_items = [media_json(picture, url, site, len(status.text)) for picture in status.pictures]
    return {
        "text": status.text,
        "spoiler_text": status.cw,
        "entities": entities | {"media": media_items[:1]} if media_items else entities,
        **({"extended_entities": {"media": media_items}} if media_items else {}),
        "possibly_sensitive": bool(status.cw),
        "filter_level": "none" if status.cw else "low" if status.in_reply_to else "medium",
        "lang": status.lang or "und",
    }


def media_json(picture: Picture, status_url: str, site: str, end: int) -> dict[str, Any]:
    """A picture of the status at this address, whose text ends there: no link stands for it in the text."""
    media_id, paths = int(picture.name[-13:], 16), picture.paths
    files = zip(MEDIA_SIZES, (paths[min(at, len(paths) - 1)] for at in (0, 0, 1, 2)), strict=True)
    return {
        "id": media_id,
        "id_str": str(media_id),
        "type": "photo",
        "media_url": f"{site}{picture.path}",
        "media_url_https": f"{site}{picture.path}",
        "url": status_url,
        "expanded_url": status_url,
        "display_url": display_url(status_url),
        "ext_alt_text": picture.alt or None,
        "sizes": {
            size: {"w": w, "h": h, "resize": "fit", "url": f"{site}{path}"}
            for size, (path, w, h) in files
        },
        "indices": [end, end],
    }


def place_json(place: Place) -> dict[str, Any]:
    """Where a status was written. `geo` has the latitude first, `coordinates` the longitude."""
    return {
        "geo": {"type": "Point", "coordinates": [place.lat, place.long]},
        "coordinates": {"type": "Point", "coordinates": [place.long, place.lat]},
        "place": {"name": place.name, "full_name": place.name, "place_type": "poi"}
        if place.name
        else None,
    }


def user_json(person: Person, site: str) -> dict[str, Any]:
    """A member."""
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


def entities_json(
    entities: tuple[Entity, ...], mentioned: Mapping[str, Member]
) -> dict[str, list[dict[str, Any]]]:
    """The entities of a text, by kind, each with its place in code points. Names that are nobody's are left out."""
    by_kind: dict[str, list[dict[str, Any]]] = {
        "hashtags": [],
        "urls": [],
        "user_mentions": [],
        "symbols": [],
    }
    for entity in entities:
        indices = {"indices": [entity.start, entity.end]}
        if entity.kind == "url":
            by_kind["urls"].append(
                {
                    "url": entity.text,
                    "expanded_url": href(entity.text),
                    "display_url": display_url(entity.text),
                    **indices,
                }
            )
        elif entity.kind == "mention" and (member := mentioned.get(entity.text.lower())):
            user = {
                "screen_name": member.login,
                "name": member.name,
                "id": member.uid,
                "id_str": str(member.uid),
            }
            by_kind["user_mentions"].append({**user, **indices})
        elif entity.kind in ("hashtag", "cashtag"):
            by_kind["hashtags" if entity.kind == "hashtag" else "symbols"].append(
                {"text": entity.text, **indices}
            )
    return by_kind


def edit_json(status: Status, mentioned: Mapping[str, Member], site: str) -> dict[str, Any]:
    """A status says something else now."""
    ids = {"id": status.id, "id_str": str(status.id), "user_id": status.author.uid}
    status_data = {
        **ids,
        "user_id_str": str(status.author.uid),
        **content_json(status, mentioned, site),
    }
    return {"edit": {"status": status_data, "timestamp_ms": str(status.version)}}


def delete_json(status_id: int, uid: int, ms: int) -> dict[str, Any]:
    """A status is deleted."""
    ids = {"id": status_id, "id_str": str(status_id), "user_id": uid, "user_id_str": str(uid)}
    return {"delete": {"status": ids, "timestamp_ms": str(ms)}}


def hide_json(event: str, uid: int, ms: int) -> dict[str, Any]:
    """An account is suspended, protected or deleted: nothing of it is shown any more to whom this is sent."""
    about = {"id": uid, "id_str": str(uid), "timestamp_ms": str(ms)}
    return {
        {"suspended": "user_suspend", "protected": "user_protect"}.get(event, "user_delete"): about
    }


def scrub_geo_json(uid: int, up_to: int) -> dict[str, Any]:
    """A member took the places off what they wrote up to a status."""
    about = {
        "user_id": uid,
        "user_id_str": str(uid),
        "up_to_status_id": up_to,
        "up_to_status_id_str": str(up_to),
    }
    return {"scrub_geo": about}


def limit_json(undelivered: int, ms: int) -> dict[str, Any]:
    """So many messages have not been delivered since the connection began."""
    return {"limit": {"track": undelivered, "timestamp_ms": str(ms)}}


def warning_json(percent_full: int) -> dict[str, Any]:
    """The client lags behind."""
    message = "You read more slowly than messages come: they wait for you, and when no more can wait the stream ends."
    return {"warning": {"code": "FALLING_BEHIND", "message": message, "percent_full": percent_full}}


DISCONNECT_REASONS = {
    1: "Shutdown",
    2: "Duplicate stream",
    4: "Stall",
    6: "Token revoked",
    7: "Admin logout",
    12: "Shed load",
}


def disconnect_json(code: int, stream: str) -> dict[str, Any]:
    """The stream ends, and why."""
    return {"disconnect": {"code": code, "stream_name": stream, "reason": DISCONNECT_REASONS[code]}}


def format_date(moment: datetime) -> str:
    """A moment as the API writes it, whatever the language: `Sat Nov 21 10:15:40 +0000 2026`."""
    day = "Mon Tue Wed Thu Fri Sat Sun".split()[moment.weekday()]
    month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S} +0000 {moment.year}"


def display_url(url: str) -> str:
    """A link as it is read."""
    return next((url[len(scheme) :] for scheme in SCHEMES if url.lower().startswith(scheme)), url)

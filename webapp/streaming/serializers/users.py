"""Members, as users of the v1.1 API, and all else that its statuses refer to."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from webapp.accounts.profile import About
from webapp.accounts.store import Member
from webapp.core.media import storage as media
from webapp.statuses import Status

DEFAULT_PICTURE = "/static/favicon.svg"  # of members without a picture


def format_date(moment: datetime) -> str:
    """Return a moment as `Sat Nov 21 10:15:40 +0000 2026`, whatever the language."""
    day = "Mon Tue Wed Thu Fri Sat Sun".split()[moment.weekday()]
    month = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()[moment.month - 1]
    return f"{day} {month} {moment:%d %H:%M:%S} +0000 {moment.year}"


@dataclass(frozen=True, slots=True)
class Person:
    """A member with a status's facts about its author."""

    member: Member
    about: About
    statuses: int
    followers: int
    following: int
    likes: int = 0
    public_lists: int = 0  # lists of others that everybody may see


def user_json(person: Person, site_url: str) -> dict[str, Any]:
    """Return a member. `site_url`: the public address of the pages."""
    member, about = person.member, person.about
    path = media.picture_url(member.avatar, "avatar", 48) if member.avatar else DEFAULT_PICTURE
    picture = f"{site_url}{path}"
    return {
        "id": member.uid,
        "id_str": str(member.uid),
        "name": member.name,
        "screen_name": member.login,
        "location": about.location or None,
        "url": about.website or None,
        "description": about.text or None,
        "protected": member.protected,
        "verified": False,
        "followers_count": person.followers,
        "friends_count": person.following,
        "listed_count": person.public_lists,
        "favourites_count": person.likes,
        "statuses_count": person.statuses,
        "created_at": format_date(member.joined),
        "utc_offset": None,
        "time_zone": None,
        "geo_enabled": True,
        "lang": None,
        "profile_image_url": picture,
        "profile_image_url_https": picture,
        "default_profile": not about.header,
        "default_profile_image": not member.avatar,
        "following": None,
        "follow_request_sent": None,
        "notifications": None,
    }


@dataclass(frozen=True, slots=True)
class RelatedData:
    """The data that the JSON of some statuses is built from.

    `statuses` by id, `people` (authors and boosters) by uid, `mentioned` members by lower-case
    login, `quoted` by the id of the quoting status: only statuses that readers may see.
    """

    statuses: dict[int, Status]
    people: dict[int, Person]
    mentioned: dict[str, Member]
    quoted: dict[int, Status] = field(default_factory=dict)

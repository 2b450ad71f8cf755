"""Data for search engines on a post or a profile: JSON-LD in the words of schema.org."""

from typing import Any

from flask import request, url_for

from webapp.accounts.member import Member
from webapp.core.media.storage import picture_url
from webapp.following.profiles import Profile
from webapp.statuses import Status
from webapp.statuses.rendering import preview

Data = dict[str, Any]
AVATAR_WIDTH = 200  # CSS pixels


def post_data(status: Status) -> Data:
    """Return the data of a post. One with a warning shows the warning alone, as its cards do."""
    address = url_for(
        "statuses.show", login=status.author.login, status_id=status.id, _external=True
    )
    counts = {"Like": status.likes, "Share": status.boosts, "Comment": status.replies}
    data: Data = {
        "@context": "https://schema.org",
        "@type": "SocialMediaPosting",
        "@id": address,
        "url": address,
        "author": _person(status.author),
        "datePublished": status.created.isoformat(timespec="seconds"),
        "interactionStatistic": [_counter(kind, count) for kind, count in counts.items()],
    }
    if status.cw or status.text:
        data["text"] = preview(status)
    if status.edited:
        data["dateModified"] = status.edited.isoformat(timespec="seconds")
    if status.lang:
        data["inLanguage"] = status.lang
    if status.pictures and not status.covers_pictures:
        data["image"] = [_picture(picture.path, picture.alt) for picture in status.pictures]
    return data


def profile_data(profile: Profile) -> Data:
    """Return the data of a profile."""
    member, person = profile.member, _person(profile.member)
    person["identifier"] = str(member.uid)
    person["interactionStatistic"] = [_counter("Follow", profile.followers)]
    person["agentInteractionStatistic"] = [_counter("Write", profile.statuses)]
    if profile.about.text:
        person["description"] = profile.about.text
    return {
        "@context": "https://schema.org",
        "@type": "ProfilePage",
        "dateCreated": member.joined.isoformat(timespec="seconds"),
        "mainEntity": person,
    }


def _person(member: Member) -> Data:
    person: Data = {
        "@type": "Person",
        "name": member.name,
        "alternateName": f"@{member.login}",
        "url": url_for("timelines.profile", login=member.login, _external=True),
    }
    if member.avatar:
        person["image"] = _address(picture_url(member.avatar, "avatar", AVATAR_WIDTH))
    return person


def _counter(kind: str, count: int) -> Data:
    return {
        "@type": "InteractionCounter",
        "interactionType": f"https://schema.org/{kind}Action",
        "userInteractionCount": count,
    }


def _picture(path: str, description: str) -> Data:
    picture: Data = {"@type": "ImageObject", "contentUrl": _address(path)}
    return picture | {"caption": description} if description else picture


def _address(path: str) -> str:
    """Return the address of a path on this site."""
    return request.host_url.rstrip("/") + path

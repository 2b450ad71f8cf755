"""The site itself: its limits, its rules, its announcement, and how its streams are reached."""

import time
from typing import Any

from flask import g
from flask_babel import gettext as _

from webapp.about import documents
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.content import to_html
from webapp.client_api.http import format_time, responses
from webapp.config import Config
from webapp.core.errors import NotFound
from webapp.core.forms.fields import PICTURE_TYPES, PICTURES_MAX
from webapp.core.i18n import preferences
from webapp.core.net import vapid
from webapp.core.rendering.static.site_icons import icon_url
from webapp.core.settings.store import history
from webapp.core.store import ids
from webapp.core.text.weight import URL_WEIGHT
from webapp.core.web import config, db, site_address, stream_base_url, viewer_uid
from webapp.site_settings import parse_time
from webapp.statuses.values.poll import MINUTES_MAX, MINUTES_MIN, OPTION_MAX, OPTIONS_MAX
from webapp.timelines.home import frame

bp = ApiBlueprint("instance")
# What clients ask for depends on these: the API of Mastodon 4.5.
VERSION, API_VERSION = "4.5.0", 7
COMPATIBLE = f"{VERSION} (compatible; Linnet)"
ICON_SIDES = (192, 512)  # pixels
FEEDS = ("live_feeds", "hashtag_feeds", "trending_link_feeds")


@bp.declare("GET /api/v1/instance", "", public=True)
def first() -> dict[str, Any]:
    """Describe the site, as older clients read it."""
    about, settings = _about(), config()
    return {
        "uri": about["domain"],
        "title": about["title"],
        "short_description": about["description"],
        "description": about["description"],
        "email": settings.contact_email,
        "version": COMPATIBLE,
        "urls": {"streaming_api": about["configuration"]["urls"]["streaming"]},
        "stats": {"user_count": 0, "status_count": 0, "domain_count": 1},
        "thumbnail": about["thumbnail"]["url"],
        "languages": about["languages"],
        "registrations": about["registrations"]["enabled"],
        "approval_required": about["registrations"]["approval_required"],
        "invites_enabled": settings.signup == "invite",
        "configuration": about["configuration"],
        "contact_account": None,
        "rules": about["rules"],
    }


@bp.declare("GET /api/v2/instance", "", public=True)
def second() -> dict[str, Any]:
    """Describe the site."""
    return _about()


def _document(path: str, name: str, what: str) -> None:
    """Declare an endpoint with the text of a page about the site."""

    def shown() -> dict[str, Any]:
        text = str(documents.load(config(), name, preferences.language().code).body)
        when = format_time(ids.EPOCH)  # nobody notes when it changes
        return {"updated_at": when, "effective_date": when[:10], "effective": True, "content": text}

    shown.__name__, shown.__doc__ = path, f"Return {what}."
    bp.declare(f"GET /api/v1/instance/{path}", "", public=True)(shown)


_document("extended_description", "about", "the description of the site")
_document("privacy_policy", "privacy", "the privacy page of the site")
_document("terms_of_service", "terms", "the terms of the site")


@bp.declare("GET /api/v1/instance/languages", "", public=True)
def languages() -> list[dict[str, str]]:
    """Return the languages of the site."""
    return [{"code": one.code, "name": one.name} for one in preferences.LANGUAGES.values()]


@bp.declare("GET /api/v1/instance/rules", "", public=True)
def rules() -> list[dict[str, str]]:
    """Return the rules of the site."""
    found: list[dict[str, str]] = _about()["rules"]
    return found


@bp.declare("GET /api/v1/announcements", "", public=True)
def announcements() -> list[dict[str, Any]]:
    """Return the announcement of the operator, if there is one now. `read`: in an app."""
    settings = config()
    text = settings.announcement(preferences.language().code, time.time())
    if not text:
        return []
    changes, marks = db().fetch(history(), frame.markers(viewer_uid() or 0))
    dates = (one.at for one in changes if one.name.startswith("announcement"))
    when, end = next(dates, ids.EPOCH), parse_time(settings.announcement_until)
    return [
        {
            "id": str(int(settings.announcement_id, 16)),
            "content": to_html(text, (), ""),
            "starts_at": None,
            "ends_at": end and format_time(end),
            "all_day": False,
            "published_at": format_time(when),
            "updated_at": format_time(when),
            "read": marks.get("announcement", 0) >= when.timestamp() * 1_000_000,
            **{name: [] for name in ("mentions", "statuses", "tags", "emojis", "reactions")},
        }
    ]


@bp.declare("POST /api/v1/announcements/<id:number>/dismiss", "write:accounts")
def dismiss_announcement(number: int) -> None:
    """Note that the caller has read the announcement."""
    if number != int(config().announcement_id, 16):
        raise NotFound("no_announcement")
    frame.mark_read(db(), g.viewer.uid, announcement=time.time_ns() // 1_000)


def _about() -> dict[str, Any]:
    settings, base = config(), site_address()
    return {
        "domain": responses.site_host(),
        "title": settings.site_name,
        "version": COMPATIBLE,
        "api_versions": {"mastodon": API_VERSION},
        "source_url": "",
        "description": settings.site_description or _("A place for short posts."),
        "usage": {"users": {"active_month": 0}},
        "thumbnail": {"url": f"{base}{icon_url(512)}"},
        "icon": [
            {"src": f"{base}{icon_url(side)}", "size": f"{side}x{side}"} for side in ICON_SIDES
        ],
        "languages": list(preferences.LANGUAGES),
        "configuration": _configuration(settings, base),
        "registrations": {
            "enabled": settings.signup in ("open", "approval"),
            "approval_required": settings.signup == "approval",
            "reason_required": settings.signup == "approval",
            "message": None,
            "min_age": None,
            "url": None,
        },
        "contact": {"email": settings.contact_email, "account": None},
        "rules": [
            {"id": str(number), "text": rule, "hint": ""}
            for number, rule in enumerate(settings.rule_list, 1)
        ],
    }


def _configuration(settings: Config, base: str) -> dict[str, Any]:
    """Return the limits of the site."""
    return {
        "urls": {
            "streaming": (stream_base_url() or base).replace("http", "ws", 1),
            "status": None,
            "about": f"{base}/about",
            "privacy_policy": f"{base}/privacy",
            "terms_of_service": f"{base}/terms",
        },
        "vapid": {"public_key": vapid.public_key(settings)},
        "accounts": {
            "max_featured_tags": settings.featured_tags_max,
            "max_pinned_statuses": settings.pinned_max,
            "max_profile_fields": 2,  # Website and Location
            "max_note_length": settings.bio_max,
        },
        "statuses": {
            "max_characters": settings.status_max,
            "max_media_attachments": min(settings.status_pictures_max, PICTURES_MAX),
            "characters_reserved_per_url": URL_WEIGHT,
        },
        "media_attachments": _picture_limits(settings),
        "polls": {
            "max_options": OPTIONS_MAX,
            "max_characters_per_option": OPTION_MAX,
            "min_expiration": MINUTES_MIN * 60,
            "max_expiration": MINUTES_MAX * 60,
        },
        "translation": {"enabled": False},
        "timelines_access": {feed: {"local": "public", "remote": "public"} for feed in FEEDS},
    }


def _picture_limits(settings: Config) -> dict[str, Any]:
    return {
        "supported_mime_types": PICTURE_TYPES.split(","),
        "image_size_limit": settings.upload_max,
        "image_matrix_limit": settings.upload_pixels,
        "description_limit": settings.alt_max,
        "video_size_limit": 0,
        "video_frame_rate_limit": 0,
        "video_matrix_limit": 0,
    }

"""oEmbed (oembed.com): how another site shows a post, given the address of its page."""

import math
from typing import Any
from unicodedata import east_asian_width
from urllib.parse import urlsplit

from flask import current_app, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import NotFound, Refused
from webapp.core.web import config
from webapp.statuses import Status

ENDPOINTS = ("statuses.show", "sharing.embed")
CACHE_SECONDS = 3_600  # that other sites may keep an answer
WIDTH, WIDTH_LEAST = 550, 220  # CSS pixels of a frame
HEIGHT_MOST = 1_000
# Rough heights of the page's parts: head and foot, a line, a place for pictures, a card.
FRAME_HEIGHT, LINE_HEIGHT, PICTURES_RATIO, EXTRA_HEIGHT = 210, 31, 0.65, 50
LETTER_WIDTH = 11  # CSS pixels of a narrow letter
# The frame runs no script. Its links open in windows of their own.
FRAME = Markup(
    '<iframe src="{address}" title="{title}" width="{width}" height="{height}" loading="lazy" '
    'sandbox="allow-popups allow-popups-to-escape-sandbox allow-same-origin" '
    'style="border:0;max-width:100%"></iframe>'
)


def status_at(config: Config, url: str) -> tuple[str, int]:
    """Return the login and the status id that a page's address names. Raises NotFound."""
    try:
        parts = urlsplit(url)
        own_hosts = {request.host, urlsplit(config.site_url).netloc}
        if parts.scheme not in ("http", "https") or parts.netloc not in own_hosts:
            raise NotFound("no_status")
        adapter = current_app.url_map.bind("visitors")
        endpoint, arguments = adapter.match(parts.path, method="GET")
    except (HTTPException, ValueError):
        raise NotFound("no_status") from None
    if endpoint not in ENDPOINTS:
        raise NotFound("no_status")
    return arguments["login"], arguments["status_id"]


def size_limit(name: str) -> int | None:
    """Return a size of the request in CSS pixels, None if it has none. Raises Refused."""
    text = request.args.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:6]) > 0):
        raise Refused("bad_size", _("Sizes are whole numbers of pixels."))
    return int(text[:6])


def answer(status: Status, width_max: int | None, height_max: int | None) -> dict[str, Any]:
    """Return the oEmbed response for a status."""
    author = status.author
    width = min(WIDTH, width_max or WIDTH)
    height = min(_height(status, width), height_max or HEIGHT_MOST)
    return {
        "version": "1.0",
        "type": "rich",
        "title": _title(author),
        "author_name": author.name,
        "author_url": url_for("timelines.profile", login=author.login, _external=True),
        "provider_name": config().site_name,
        "provider_url": url_for("timelines.index", _external=True),
        "cache_age": CACHE_SECONDS,
        "html": _frame(status, width, height),
        "width": width,
        "height": height,
    }


def code(status: Status) -> str:
    """Return the HTML that members copy to show a status on another site."""
    return str(_frame(status, WIDTH, _height(status, WIDTH)))


def _frame(status: Status, width: int, height: int) -> Markup:
    """Return the HTML of a frame of this size, in CSS pixels, that shows a status."""
    login = status.author.login
    address = url_for("sharing.embed", login=login, status_id=status.id, _external=True)
    title = _title(status.author)
    return FRAME.format(address=address, title=title, width=width, height=height)


def _title(author: Member) -> str:
    title: str = _("Post by %(name)s (@%(login)s)", name=author.name, login=author.login)
    return title


def _height(status: Status, width: int) -> int:
    """Return about how high a status is in a frame of this width. It scrolls if it is higher."""
    inner = max(width, WIDTH_LEAST) - 32
    height = FRAME_HEIGHT + LINE_HEIGHT * _line_count(status.cw or status.text, inner)
    height += EXTRA_HEIGHT * bool(status.cw) + 2 * EXTRA_HEIGHT * bool(status.quote)
    if status.poll:
        height += EXTRA_HEIGHT * (1 if status.cw else len(status.poll.options))
    if status.pictures and not status.covers_pictures:
        height += round(inner * PICTURES_RATIO)
    return min(height, HEIGHT_MOST)


def _line_count(text: str, width: int) -> int:
    units = max(width // LETTER_WIDTH, 1)
    return sum(
        max(1, math.ceil(sum(1 + (east_asian_width(letter) in "WF") for letter in line) / units))
        for line in text.split("\n")
    )

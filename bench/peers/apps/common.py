"""Share the small templates and filters of the peers' pages."""

import re
from datetime import UTC, datetime

from flask import Flask
from markupsafe import Markup, escape

PAGE = 30  # statuses a page
MOST = 280  # characters of a status
LINKS = re.compile(r"(?P<url>https?://[^\s<]+)|(?<!\w)@(?P<login>\w{1,15})|(?<!\w)#(?P<tag>\w+)")
SECRET = "bench"


def create_app(name: str) -> Flask:
    """Return a Flask app with the templates and their filters."""
    app = Flask(name, template_folder="templates")
    app.config["SECRET_KEY"] = SECRET
    app.config["WTF_CSRF_TIME_LIMIT"] = None
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.filters.update(linked=linked, when=when)
    return app


def linked(text: str) -> Markup:
    """Return the text of a status with links."""
    parts, position = [], 0
    for match in LINKS.finditer(text):
        parts += [escape(text[position : match.start()]), _link(match)]
        position = match.end()
    return Markup("").join([*parts, escape(text[position:])])


def when(seconds: float) -> str:
    """Format a time given in unix seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%-d %b %Y %H:%M")


def _link(match: re.Match[str]) -> Markup:
    if match["url"]:
        return Markup('<a href="{0}" rel="nofollow">{0}</a>').format(match["url"])
    if match["login"]:
        return Markup('<a href="/@{0}">@{0}</a>').format(match["login"])
    return Markup('<a href="/tags/{0}">#{0}</a>').format(match["tag"])

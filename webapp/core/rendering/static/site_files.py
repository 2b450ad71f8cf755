"""Files that browsers and crawlers look for at fixed addresses, the same for everybody."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from flask import Flask, Response, jsonify, redirect, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.errors import NotFound as Missing
from webapp.core.media.responses import picture_response
from webapp.core.web import config, public, storeless

from . import site_icons
from .assets import asset_url

# Pages may be read, but nobody's settings, and no page behind each button of each post.
ROBOTS_RULES = (
    "User-agent: *\nDisallow: /settings\nDisallow: /join/\n\nSitemap: {site}sitemap.xml\n"
)
COLOUR_PATTERN = re.compile(r"[0-9a-fA-F]{6}\Z")
DAY = "public, max-age=86400"
SECURITY_PATH = "/.well-known/security.txt"
SECURITY_DAYS = 180  # RFC 9116 advises less than a year
ICONS = {"/favicon.ico": "favicon.ico", "/apple-touch-icon.png": "apple-touch-icon.png"}
ICON_SIDES = {"favicon.ico": 48, "apple-touch-icon.png": 180}  # of the operator's own


# The site's own colour in place of that of tokens.css. It can be read on white; by night it is
# lighter.
ACCENT_SHEET = """@supports (color: light-dark(red, red)) {{ :root {{
  --accent: light-dark({c}, color-mix(in oklab, {c}, white 58%));
  --accent-strong: light-dark(
    color-mix(in oklab, {c}, black 25%), color-mix(in oklab, {c}, white 72%)
  );
  --on-accent: light-dark(#fff, color-mix(in oklab, {c}, black 78%));
  --wash: light-dark(color-mix(in oklab, {c}, white 91%), color-mix(in oklab, {c}, #161b1a 76%));
  --own: light-dark(color-mix(in oklab, {c}, white 80%), color-mix(in oklab, {c}, #161b1a 62%));
}} }}
"""


def init(app: Flask) -> None:
    """Serve these files, and lead to the icons."""
    app.add_url_rule("/accent.css", endpoint="site_accent", view_func=accent)
    app.add_url_rule("/robots.txt", view_func=robots)
    app.add_url_rule("/manifest.webmanifest", view_func=manifest)
    app.add_url_rule(SECURITY_PATH, view_func=security_contact)
    for path, name in ICONS.items():
        app.add_url_rule(path, endpoint="site_icon", view_func=site_icon, defaults={"name": name})
    app.add_url_rule("/media/site/<name>", endpoint="site_icon_file", view_func=icon_file)


@storeless
def accent() -> AnyResponse:
    """Return the style sheet of a colour, which the address names."""
    colour = request.args.get("colour", "")
    if not COLOUR_PATTERN.match(colour):
        raise NotFound
    return _for_a_day(Response(ACCENT_SHEET.format(c=f"#{colour}"), mimetype="text/css"))


@storeless
def robots() -> AnyResponse:
    """Tell crawlers which pages they may read, and where they find a list of them."""
    rules = ROBOTS_RULES.format(site=request.host_url)
    return _for_a_day(Response(rules, mimetype="text/plain"))


@storeless
def manifest() -> AnyResponse:
    """Let phones and desktops install the site as an app."""
    icons = [_icon(site_icons.icon_url(side), side) for side in (192, 512)]
    if not config().icon:
        maskable = asset_url("icons/icon-maskable-512.png")
        icons.append(_icon(maskable, 512) | {"purpose": "maskable"})
    body = jsonify(
        name=config().site_name,
        short_name=config().site_name,
        id="/",
        start_url="/",
        scope="/",
        display="standalone",
        background_color="#f6f5f1",
        theme_color=config().accent or "#0c6a62",
        icons=icons,
    )
    body.mimetype = "application/manifest+json"
    return _for_an_hour(body)


@storeless
def security_contact() -> AnyResponse:
    """Tell whoever found a weakness whom to write to, as RFC 9116 says.

    Raises NotFound if there is no contact address.
    """
    contact = config().contact_email
    if not contact:
        raise NotFound
    if not contact.startswith("https://"):
        contact = f"mailto:{quote(contact, safe='@+')}"
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = (
        f"Contact: {contact}",
        f"Expires: {today + timedelta(days=SECURITY_DAYS):%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en, zh",
        f"Canonical: {request.host_url.rstrip('/')}{SECURITY_PATH}",
    )
    return _for_an_hour(Response("\n".join(lines) + "\n", mimetype="text/plain"))


@storeless
def site_icon(name: str) -> AnyResponse:
    """Redirect to an icon, for clients that ask for it without reading a page."""
    own = site_icons.own_icon(ICON_SIDES[name])
    return _for_an_hour(redirect(own or asset_url(f"icons/{name}")))


@public
@storeless
def icon_file(name: str) -> AnyResponse:
    """Send a file of the icon that the operator chose. Raises NotFound."""
    file = f"{site_icons.FOLDER}/{name}"
    if not site_icons.ICON_FILE.fullmatch(file):
        raise Missing("no_picture")
    return picture_response(config(), file, private=False)


def _icon(address: str, side: int) -> dict[str, str]:
    """Return an icon as the manifest names it."""
    return {
        "src": address,
        "sizes": f"{side}x{side}",
        "type": "image/png",
    }


def _for_an_hour(response: AnyResponse) -> AnyResponse:
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


def _for_a_day(response: AnyResponse) -> AnyResponse:
    response.headers["Cache-Control"] = DAY
    return response

"""Files that browsers and crawlers look for at fixed addresses, the same for everybody."""

from __future__ import annotations

from flask import Flask, Response, jsonify, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.web.view_options import storeless

from .assets import asset_url

# Pages may be read, but nobody's settings, and no page behind each button of each post.
ROBOTS_RULES = (
    "User-agent: *\nDisallow: /settings\nDisallow: /join/\n\nSitemap: {site}sitemap.xml\n"
)
DAY = "public, max-age=86400"
ICONS = {"/favicon.ico": "favicon.ico", "/apple-touch-icon.png": "apple-touch-icon.png"}


def init(app: Flask) -> None:
    """Serve these files, and lead to the icons."""
    app.add_url_rule("/robots.txt", view_func=robots)
    app.add_url_rule("/manifest.webmanifest", view_func=manifest)
    for path, name in ICONS.items():
        app.add_url_rule(path, endpoint="site_icon", view_func=site_icon, defaults={"name": name})


@storeless
def robots() -> AnyResponse:
    """Tell crawlers which pages they may read, and where they find a list of them."""
    rules = ROBOTS_RULES.format(site=request.host_url)
    return _for_a_day(Response(rules, mimetype="text/plain"))


@storeless
def manifest() -> AnyResponse:
    """Let phones and desktops install the site as an app."""
    icons = [_icon("icon-192", 192), _icon("icon-512", 512)]
    icons.append(_icon("icon-maskable-512", 512) | {"purpose": "maskable"})
    body = jsonify(
        name="Linnet",
        short_name="Linnet",
        id="/",
        start_url="/",
        scope="/",
        display="standalone",
        background_color="#f6f5f1",
        theme_color="#0c6a62",
        icons=icons,
    )
    body.mimetype = "application/manifest+json"
    return _for_a_day(body)


@storeless
def site_icon(name: str) -> AnyResponse:
    """Redirect to an icon, for clients that ask for it without reading a page."""
    return _for_a_day(redirect(asset_url(f"icons/{name}")))


def _icon(name: str, side: int) -> dict[str, str]:
    """Return an icon as the manifest names it."""
    return {
        "src": asset_url(f"icons/{name}.png"),
        "sizes": f"{side}x{side}",
        "type": "image/png",
    }


def _for_a_day(response: AnyResponse) -> AnyResponse:
    response.headers["Cache-Control"] = DAY
    return response

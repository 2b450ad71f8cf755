"""Render homes in a cached page shell, which all members share."""

from functools import partial
from typing import Any

from flask import current_app, g, request

from webapp.accounts.member import Member
from webapp.core.forms.csrf import csrf_token
from webapp.core.i18n import preferences
from webapp.core.rendering.feature_pages import shows_more_menu
from webapp.core.rendering.fragments import fragments
from webapp.core.rendering.shells import Part, placeholder, render_in_shell
from webapp.core.web import Page
from webapp.statuses import Item, Timeline
from webapp.statuses.compose.blank_composer import own_parts, shared_composer
from webapp.statuses.compose.remembered_audience import remembered_audience
from webapp.statuses.rendering import render_chunks
from webapp.timelines.trends.current import rail_trends

from .frame import HomeFrame

FRESH = ("position", "composer_key")  # what is new each time that a home is loaded


def home_in_shell(page: Timeline[Item], stream: dict[str, object], frame: HomeFrame) -> bytes:
    """Return a page of a home in its cached shell: only the viewer's own parts are rendered.

    What is new at each load stays a placeholder.
    """
    parts: dict[str, Part] = {
        **_member_parts(g.viewer, frame),
        "render_statuses": render_chunks(page.items, page.viewer_state, filter_context="home"),
        "next": str(page.next),
        "csrf_token": csrf_token(),
        "session_name": g.session_name,
        **{name: placeholder(name) for name in FRESH},
    }
    placeholder_page: Page[Any] = Page((placeholder("render_statuses"),), placeholder("next"))  # type: ignore[arg-type]
    audience = remembered_audience(g.viewer)
    context = {
        "page": placeholder_page,
        "live_stream": stream,
        "viewer": placeholder("viewer"),
        "composer": shared_composer(audience),
    }
    return render_in_shell("timelines/home.html", context, parts, audience)


def _member_parts(viewer: Member, frame: HomeFrame) -> dict[str, Part]:
    """Return the parts of the page that depend on the member alone, by placeholder."""
    language = preferences.language()
    fragment = partial(fragments().get_or_render_bytes, language.code)
    layout, endpoint, theme = "layout/navigation.html", request.endpoint, preferences.theme()
    more = shows_more_menu()
    unread = current_app.extensions["linnet.unread"]()  # chats, and notifications
    return {
        "navigation": fragment(
            layout, "navigation", viewer, endpoint, "timelines", False, *unread, "", more
        ),
        "left_off": fragment("timelines/home_tabs.html", "left_off_link", frame.read_up_to),
        "digests": fragment("timelines/home_tabs.html", "group_digests", frame.digests),
        "tabs": fragment(
            "timelines/home_tabs.html", "home_tabs", viewer.login, frame.lists, "home"
        ),
        "account": fragment(layout, "account", viewer, language, theme, more),
        "tips": fragment("statuses/composer_tips.html", "tips", rail_trends(), True),
        "first_steps": fragment("explore/onboarding/offer.html", "offer", viewer.first_steps),
        **own_parts(viewer),
    }

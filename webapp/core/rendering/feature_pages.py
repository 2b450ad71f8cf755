"""The pages of optional systems: their blueprints, their entry under "More", and their switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Flask, current_app, request
from flask_babel.speaklater import LazyString
from markupsafe import Markup
from werkzeug.exceptions import HTTPException, NotFound

from webapp.core.i18n import preferences
from webapp.core.store import Read, constant
from webapp.core.web import config, unwrap


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """The link to an optional system under "More"."""

    endpoint: str
    icon: str
    title: LazyString
    summary: LazyString  # one sentence


@dataclass(frozen=True, slots=True)
class FeaturePages:
    """The pages of an optional system, and its parts of others: PAGES in its room's `pages.py`."""

    blueprints: Sequence[Blueprint]
    menu: MenuEntry | None = None
    admin_panel: Callable[[], Markup] | None = None  # what it shows on /admin
    waiting: Callable[[], Read[int]] | None = None  # how much waits for moderators
    # The votes on a status's own page. It gets the status, and the viewer (None: a visitor).
    votes: Callable[[Any, int | None], Read[tuple[Any, ...]]] | None = None


def init(app: Flask, pages: Mapping[str, FeaturePages]) -> None:
    """Register the blueprints of the features that are installed. `pages`: by feature.

    The pages of a feature that is switched off are not found, as if they did not exist.
    """
    feature_of = {bp.name: name for name, one in pages.items() for bp in one.blueprints}
    app.extensions["linnet.features"] = pages
    app.extensions["linnet.feature_of"] = feature_of
    app.extensions["linnet.feature_blueprints"] = frozenset(
        blueprint.name
        for one in pages.values()
        for blueprint in one.blueprints
        if one.menu and not (blueprint.url_prefix or "").startswith(("/admin", "/moderation"))
    )

    @app.before_request
    def hide_pages_switched_off() -> None:
        flask_request = unwrap(request)
        feature = feature_of.get(flask_request.blueprint or "")
        if feature and not has_feature(feature):
            flask_request.url_rule = flask_request.view_args = None
            flask_request.routing_exception = NotFound()

    for one in pages.values():
        for blueprint in one.blueprints:
            app.register_blueprint(blueprint)


def has_feature(name: str) -> bool:
    """Return True if a feature is installed and switched on."""
    return name in config().enabled_features and name in _pages()


def is_on(path: str) -> bool:
    """Return False for the address of no page, or of one whose feature is switched off."""
    app = unwrap(current_app)
    try:
        endpoint, _ = app.url_map.bind("").match(path)
    except NotFound:
        return False
    except HTTPException:  # a redirect
        return True
    feature = app.extensions["linnet.feature_of"].get(endpoint.partition(".")[0])
    return not feature or has_feature(feature)


def menu() -> list[MenuEntry]:
    """Return the entries under "More" of the features that are switched on."""
    return [one.menu for name, one in _pages().items() if one.menu and has_feature(name)]


def shows_more_menu() -> bool:
    """Return True if the navigation links to "More": there are entries, and nobody hid them."""
    if preferences.more_menu():
        return False
    return any(one.menu and has_feature(name) for name, one in _pages().items())


def admin_panels() -> list[Callable[[], Markup]]:
    """Return the panels for /admin of the features that are switched on."""
    return [
        one.admin_panel for name, one in _pages().items() if one.admin_panel and has_feature(name)
    ]


def waiting_reads() -> dict[str, Read[int]]:
    """Return how much of each feature waits for moderators, by feature."""
    return {
        name: one.waiting() for name, one in _pages().items() if one.waiting and has_feature(name)
    }


def votes(status: Any, viewer: int | None) -> Read[tuple[Any, ...]]:
    """Read the votes of a status, with their groups, if that feature is switched on."""
    for name, one in _pages().items():
        if one.votes and has_feature(name):
            return one.votes(status, viewer)
    return constant(())


def _pages() -> Mapping[str, FeaturePages]:
    pages: Mapping[str, FeaturePages] = unwrap(current_app).extensions["linnet.features"]
    return pages

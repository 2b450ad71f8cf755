"""Give every template its context, globals and filters."""

import re
from collections.abc import Iterator, MutableMapping
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any, Protocol

from flask import Flask, Response, g, request, url_for
from flask.templating import Environment
from flask_babel import Babel
from jinja2 import BytecodeCache, Environment as JinjaEnvironment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket

from webapp.core.forms.picture_field import picture_limit
from webapp.core.i18n import formatting, preferences
from webapp.core.i18n.catalogs import CatalogDomain
from webapp.core.i18n.language_detection import detect
from webapp.core.media.identicons import identicon
from webapp.core.media.storage import picture_url
from webapp.core.rendering.line_breaks import DropLineBreaks
from webapp.core.rendering.static.site_icons import icon_url, own_icon
from webapp.core.text import parser
from webapp.core.text.parser import Entity
from webapp.core.text.weight import is_long
from webapp.core.web import config, vary
from webapp.core.web.redirects import is_page_view, referring_path, return_path

from .feature_pages import has_feature, shows_more_menu

TEMPLATES = Path(__file__).parents[3] / "templates"
OF_LOOP_VIEWS = (  # folders and files
    *("accounts/member_row.html", "accounts/profile_header.html", "accounts/protected.html"),
    *("base.html", "components/", "error.html", "explore/", "following/", "layout/"),
    *("lists/", "notifications/", "refused_form.html", "rewards/market/news.html"),
    *("search/form.html", "statuses/", "timelines/"),
)
SCHEME_PATTERN = re.compile(r"https?://", re.IGNORECASE)


class PlainEnvironment(Environment):
    """Gives every template the environment's globals as they are.

    Why, measured: Jinja lays a ChainMap over them, in case a template has globals of its own, and
    copies it for each template and import of a page. That took 5 to 10 % of a page's time.
    """

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return super().make_globals(d) if d else self.globals


class SharedCode(BytecodeCache):
    """Keeps the code of templates, so that the environments of an app compile each once."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, CodeType | None]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._kept.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.checksum, bucket.code


class LinkedText(Protocol):
    """Anything with a text and the entities found in it."""

    @property
    def text(self) -> str: ...

    @property
    def entities(self) -> tuple[Entity, ...]: ...


def init(app: Flask) -> None:
    """Give templates their context, globals and filters."""
    babel = Babel(app, locale_selector=lambda: preferences.language().locale)
    babel.domain_instance = CatalogDomain()
    app.jinja_env.add_extension(DropLineBreaks)
    app.jinja_env.bytecode_cache = SharedCode()
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.filters.update(
        formatting.FILTERS,
        segments=segments,
        tag_name=parser.tag_name,
        href=parser.href,
        is_long=is_long,
        language=detect,
        display_url=display_url,
        identicon=identicon,
        picture_url=picture_url,
    )
    # Macros are imported without a context: besides their parameters they read only globals.
    _keep_up_to_date(app)
    app.jinja_env.globals["feature_blueprints"] = app.extensions["linnet.feature_blueprints"]
    app.jinja_env.globals["has_mail"] = app.extensions["linnet.config"].has_mail
    app.jinja_env.globals["has_feature"] = has_feature
    app.jinja_env.globals["shows_more_menu"] = shows_more_menu
    app.jinja_env.globals["picture_limit"] = picture_limit
    app.jinja_env.globals.update(return_path=return_path, referring_path=referring_path)
    app.jinja_env.globals["languages"] = tuple(preferences.LANGUAGES.values())
    app.context_processor(template_context)
    app.after_request(_add_content_language)


def compile_hot(environment: JinjaEnvironment) -> None:
    """Compile the templates of views in the event loop, where the first page would take 0.3 s."""
    for name in environment.list_templates(filter_func=lambda name: name.startswith(OF_LOOP_VIEWS)):
        environment.get_template(name)


def site_name() -> str:
    """Return the site's name."""
    return config().site_name


def site_description() -> str:
    """Return the operator's description of the site, "" without one."""
    return config().site_description


def accent_sheet() -> str:
    """Return the address of the style sheet with the site's own colour, "" without one."""
    accent = config().accent
    return url_for("site_accent", colour=accent.removeprefix("#")) if accent else ""


def _keep_up_to_date(app: Flask) -> None:
    """Give templates settings that may change, as functions: macros keep the values of globals."""
    app.jinja_env.globals.update(
        signups=_signups,
        site_name=site_name,
        site_description=site_description,
        accent_sheet=accent_sheet,
        own_icon=own_icon,
        icon_url=icon_url,
        members_invite=lambda: config().members_invite,
        announcement_id=lambda: config().announcement_id,
    )


def _signups() -> str:
    signup = config().signup
    return "open" if signup == "approval" else signup


def template_context() -> dict[str, object]:
    """Return the variables of every template."""
    return {
        "viewer": g.get("viewer"),
        "session_name": g.get("session_name", ""),
        "language": preferences.language(),
        "theme": preferences.theme(),
        "link_cards": preferences.link_cards(),
        "counts": preferences.counts(),
        "join": preferences.join_prompt(),
        "announcement": preferences.announcement(),
        "canonical": request.base_url if is_page_view() and not request.args else "",
    }


def display_url(url: str) -> str:
    """Return a link's text: the URL without its scheme."""
    match = SCHEME_PATTERN.match(url)
    return url[match.end() :] if match else url


def segments(linked: LinkedText) -> Iterator[tuple[str, Entity | None]]:
    """Cut a text into its plain runs, each with None, and its entities."""
    return iter(parser.segments(linked.text, linked.entities))


def _add_content_language(response: Response) -> Response:
    if response.mimetype == "text/html":
        response.headers.setdefault("Content-Language", preferences.language().tag)
        vary(response, "Accept-Language")
    return response


@cache
def plain_templates() -> JinjaEnvironment:
    """Return the templates without what pages are given, for archives and mails.

    The worker that writes these has no app.
    """
    return JinjaEnvironment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

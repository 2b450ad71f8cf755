"""Linnet: a social site on Flask, Jinja and Redis. `create_app` wires it, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Flask

from . import config as settings
from .accounts.settings.views import bp as settings_pages
from .accounts.tokens.views import bp as app_pages
from .accounts.views import bp as accounts
from .admin.views import bp as admin
from .chat.api.views import bp as chat_api
from .chat.bots.views import bp as bots
from .chat.inbox import chat_state
from .chat.members.views import bp as chat_groups
from .chat.messages import presenter
from .chat.messages.views import bp as chat_messages
from .chat.views import bp as chats
from .config import Config
from .core.events.inline import apply_inline
from .core.forms import body_limits, csrf, form_session
from .core.net import proxies
from .core.rendering import assets, compression, fragments, shells
from .core.web import converters, error_pages, request_log, security, templating
from .core.web.prefetch import set_viewer_context
from .following.blocks.views import bp as blocks
from .following.mutes.views import bp as mutes
from .following.requests.views import bp as requests
from .following.views import bp as following
from .lists.views import bp as lists
from .media.views import bp as media
from .notifications import views as notifications
from .notifications.store import unread_count
from .pagecache import middleware
from .preferences.views import bp as preferences
from .registry import REGISTRY
from .server import health
from .statuses.drafts.views import bp as drafts
from .statuses.edits.views import bp as edits
from .statuses.filters.store import filters_of
from .statuses.filters.views import bp as filters
from .statuses.interactions.views import bp as acts
from .statuses.polls.views import bp as polls
from .statuses.quotes.views import bp as quotes
from .statuses.views import bp as statuses
from .streaming.api_v1.views import bp as streams
from .timelines.feeds import bp as feeds
from .timelines.tags.views import bp as tags
from .timelines.views import bp as timelines

ACCOUNT_BLUEPRINTS = (
    accounts,
    settings_pages,
    app_pages,
    following,
    requests,
    blocks,
    mutes,
    filters,
)
STATUS_BLUEPRINTS = (
    statuses,
    acts,
    polls,
    quotes,
    drafts,
    edits,
    timelines,
    tags,
    lists,
    feeds,
    streams,
)
CHAT_BLUEPRINTS = (chats, chat_messages, chat_groups, presenter.bp, chat_api, bots)


def create_app(config: Config | Mapping[str, Any] | None = None) -> Flask:
    """The web application.

    `config` is a whole Config, or settings that go before the environment's (names in either case; those that are
    Flask's own, such as TESTING, are passed on to Flask). Without REDIS_URL the store is the embedded Valkey under
    DATA_DIR; when nobody runs it yet, as under `flask run`, this process starts it and applies the events itself.
    Raises BadSetting or StoreError, with a sentence that says what is wrong.
    """
    loaded_config = config if isinstance(config, Config) else settings.load(config)
    app_config = health.ensure_store(settings.with_secret(loaded_config))
    app = Flask(__name__, template_folder="../templates", static_folder=None)
    app.ensure_sync = lambda func: func  # type: ignore[method-assign]  # none is a coroutine, and Flask asks each time
    app.config.update(
        SECRET_KEY=app_config.secret_key,
        MAX_CONTENT_LENGTH=app_config.body_max,
        MAX_FORM_MEMORY_SIZE=app_config.body_max,
        SESSION_COOKIE_NAME="linnet_form",
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,
    )
    if isinstance(config, Mapping):
        app.config.from_mapping({name: value for name, value in config.items() if name.isupper()})
    converters.init(app)
    health.init(app, app_config)
    compression.init(app)
    request_log.init(app, app_config)
    middleware.init(app, app_config, app.extensions["linnet.db"])
    proxies.init(app, app_config)  # around the cache, which needs to know the address
    security.init(app)
    body_limits.init(app, app_config)
    form_session.init(app)
    csrf.init(app)
    templating.init(app)
    error_pages.init(app)
    assets.init(app)
    fragments.init(app, app_config.pieces_max)
    shells.init(app)
    _register_viewer_context(app)
    for blueprint in (
        health.bp,
        media,
        preferences,
        *ACCOUNT_BLUEPRINTS,
        *STATUS_BLUEPRINTS,
        *CHAT_BLUEPRINTS,
        notifications.bp,
        admin,
    ):
        app.register_blueprint(blueprint)
    if app_config.inline_projections:
        apply_inline(app, app.extensions["linnet.db"], app_config, REGISTRY)
    return app


def _register_viewer_context(app: Flask) -> None:
    """Tell what all pages show of their viewer: what is unread, and the words they filter."""
    set_viewer_context(
        app,
        {
            "unread_chats": chat_state.unread,
            "unread_notifications": unread_count,
            "filters": filters_of,
        },
    )
    app.extensions["linnet.unread"] = lambda: (
        presenter.unread_total(),
        notifications.unread_count(),
    )

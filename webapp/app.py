"""The web application: `create_app` wires it, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from flask import Flask, request

from webapp.core.site import Site

from . import config as settings
from .about.views import bp as about
from .accounts.sessions.views import bp as sessions
from .accounts.settings.display_views import bp as preferences
from .accounts.settings.views import bp as settings_pages
from .accounts.tokens.app_views import bp as apps
from .accounts.tokens.views import bp as tokens
from .accounts.viewer import is_member, load_viewer
from .accounts.views import bp as accounts
from .admin.views import bp as admin
from .autocomplete.views import bp as autocomplete
from .chat.api.fetch_views import bp as chat_api_fetch
from .chat.api.member_views import bp as chat_api_members
from .chat.api.message_views import bp as chat_api_messages
from .chat.api.views import bp as chat_api
from .chat.bots.views import bp as bots
from .chat.inbox import chat_state
from .chat.inbox.views import bp as chat_inbox
from .chat.members.settings_views import bp as group_settings
from .chat.members.views import bp as chat_members
from .chat.messages import template_filters as chat_filters
from .chat.messages.rendering import Renderer
from .chat.page.invitation_views import bp as chat_invitations
from .chat.page.message_actions import bp as chat_messages
from .chat.reports.views import bp as chat_reports
from .chat.search.views import bp as chat_search
from .chat.views import bp as chats
from .config import Config
from .core.events.inline import apply_inline
from .core.forms import body_limits, csrf, form_parser, form_session, kept_text
from .core.media.views import bp as media
from .core.net import proxies
from .core.rendering import (
    compression,
    error_pages,
    fragments,
    kept_pages,
    shells,
    templating,
)
from .core.rendering.static import assets, site_files
from .core.store.client import Db
from .core.store.connection import connect
from .core.web import converters, health, request_log, security
from .core.web.context import SAFE_METHODS
from .core.web.prefetch import set_viewer_context
from .core.web.view_options import storeless_paths
from .explore.onboarding.views import bp as onboarding
from .explore.suggestions.views import bp as suggestions
from .explore.views import bp as explore
from .following.blocks.views import bp as blocks
from .following.hidden_boosts.views import bp as hidden_boosts
from .following.mutes.views import bp as mutes
from .following.requests.views import bp as follow_requests
from .following.views import bp as following
from .lists.views import bp as lists
from .notifications import views as notifications
from .notifications.push.views import bp as push
from .notifications.store import unread_count
from .pagecache import middleware as pagecache
from .registry import REGISTRY
from .reports.views import bp as reports
from .search.views import bp as search
from .server.asgi_bridge import AsgiBridge
from .server.local_store import ensure_store
from .sharing.offline_views import bp as offline
from .sharing.sitemap_views import bp as sitemaps
from .sharing.views import bp as sharing
from .statuses.drafts.views import bp as drafts
from .statuses.edits.views import bp as edits
from .statuses.filters.store import filters_of
from .statuses.filters.views import bp as filters
from .statuses.interactions.views import bp as interactions
from .statuses.polls.views import bp as polls
from .statuses.post_menu.views import bp as post_menu
from .statuses.quotes.views import bp as quotes
from .statuses.view_counts.store import ViewBatch
from .statuses.view_counts.views import bp as view_counts
from .statuses.views import bp as statuses
from .streaming.api_v1.views import bp as streaming_api
from .streaming.pages.formats import public_address
from .streaming.server import StreamApp, create_stream_app
from .timelines.feeds import bp as feeds
from .timelines.profile_tabs.views import bp as profile_tabs
from .timelines.tags.views import bp as tags
from .timelines.trends.current import trends_for
from .timelines.views import bp as timelines

BLUEPRINTS = (
    *(health.bp, media, preferences, about),
    *(accounts, sessions, settings_pages, tokens, apps),
    *(following, follow_requests, blocks, mutes, hidden_boosts),
    *(statuses, view_counts, post_menu, interactions, polls, quotes, drafts, edits, filters),
    *(reports, autocomplete),
    *(timelines, profile_tabs, tags, feeds, sharing, sitemaps, offline, lists),
    *(suggestions, onboarding),
    *(chats, chat_messages, chat_members, chat_invitations, group_settings, chat_inbox),
    *(chat_reports, chat_search, chat_filters.bp, bots),
    *(chat_api, chat_api_messages, chat_api_members, chat_api_fetch),
    explore,
    *(notifications.bp, push, streaming_api, search, admin),
)


def create_app(config: Config | Mapping[str, Any] | None = None) -> Flask:
    """Return the web application.

    `config` is a whole Config, or settings that go before the environment's. Names in capitals
    reach Flask too, such as TESTING. If nobody runs the embedded store yet, as under `flask run`,
    this process starts it and applies events inline. Raises BadSetting, StoreError.
    """
    loaded = config if isinstance(config, Config) else settings.load(config)
    app_config = ensure_store(settings.with_secret(loaded))
    app = Flask("webapp", template_folder="../templates", static_folder=None)
    app.jinja_environment = templating.PlainEnvironment
    # No view is a coroutine. Flask would check that at every request.
    app.ensure_sync = lambda func: func  # type: ignore[method-assign]
    _configure_flask(app, app_config, config)
    db = connect(app_config, app_config.store_timeout)
    app.extensions.update({"linnet.config": app_config, "linnet.db": db})

    app.extensions["linnet.views"] = ViewBatch(Site(db, app_config))
    converters.init(app)
    compression.init(app)
    request_log.init(app, app_config)
    pagecache.init(app, app_config, db)
    proxies.init(app, app_config)  # around the cache, which needs to know the address
    _check_requests(app, app_config)
    _init_rendering(app, app_config)
    _register_viewer_context(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    REGISTRY.require_rows()
    if app_config.write_replicas:
        _acknowledge_replicated_writes(app, db, app_config.write_replicas)
    if app_config.inline_projections:
        apply_inline(app, Site(db, app_config), REGISTRY)
    return app


def _check_requests(app: Flask, config: Config) -> None:
    """Let an app refuse requests before any view. Members see refusals as members."""
    security.init(app)
    app.before_request(partial(body_limits.set_limits, app, config))
    app.before_request(load_viewer)
    body_limits.init(app, config)
    form_parser.init(app)
    form_session.init(app)
    csrf.init(app)
    kept_text.init(app)


def _init_rendering(app: Flask, config: Config) -> None:
    """Give an app its templates, its files, and the caches of what it renders."""
    templating.init(app)
    error_pages.init(app)
    assets.init(app)
    site_files.init(app)
    fragments.init(app, config.pieces_max)
    shells.init(app)
    kept_pages.init(app)


def pages_app() -> AsgiBridge:
    """Return the app of `linnet serve`: the site behind an event loop with a page cache."""
    app = create_app()
    app.extensions["linnet.assets"].compress()
    config: Config = app.extensions["linnet.config"]
    cached_pages = pagecache.enable_local_cache(app)
    fast_path = proxies.behind_proxies(cached_pages, config) if cached_pages else None
    upload_limit = partial(body_limits.upload_limit, app, partial(is_member, app))
    return AsgiBridge(app, config, upload_limit, fast_path, storeless_paths(app))


def streams_app() -> StreamApp:
    """Return the app of `linnet stream`. It renders chat messages with the site's templates."""
    app = create_app()
    return create_stream_app(Renderer(app, public_address(app.extensions["linnet.config"])))


def _configure_flask(
    app: Flask, config: Config, overrides: Config | Mapping[str, Any] | None
) -> None:
    app.config.update(
        SECRET_KEY=config.secret_key,
        MAX_CONTENT_LENGTH=config.body_max,
        MAX_FORM_MEMORY_SIZE=config.body_max,
        SESSION_COOKIE_NAME="linnet_form",
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,
    )
    if isinstance(overrides, Mapping):
        app.config.update({name: value for name, value in overrides.items() if name.isupper()})


def _acknowledge_replicated_writes(app: Flask, db: Db, replicas: int) -> None:
    """Answer requests that change something only once so many replicas have the change."""

    @app.before_request
    def wait() -> None:
        if request.method not in SAFE_METHODS:
            db.wait_for_replicas(replicas)

    @app.teardown_request
    def end(error: BaseException | None) -> None:
        db.wait_for_replicas(0)


def _register_viewer_context(app: Flask) -> None:
    """Register the values that every page shows of its viewer: unread counts, filters, trends."""
    set_viewer_context(
        app,
        {
            "unread_chats": chat_state.unread,
            "unread_notifications": unread_count,
            "filters": filters_of,
            "trends": trends_for,
        },
    )
    app.extensions["linnet.unread"] = lambda: (
        chat_filters.badge_count(),
        notifications.unread_count(),
    )

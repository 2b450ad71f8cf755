"""The web application: `create_app` wires it, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import Any

from flask import Flask, g, request

from webapp.core.net.encryption import accepted_keys
from webapp.core.settings import store as live_settings
from webapp.core.settings.live import LiveSettings, LiveSite
from webapp.core.store import Db, Site
from webapp.streaming.apps.status_batches import Presenter
from webapp.streaming.pages.topic_paths import public_address

from . import config as settings
from .access_log.sender import Sender
from .access_log.streams import LoggedStreams
from .accounts.sessions.cookies import is_write
from .accounts.viewer import load_viewer, uploader
from .admin import closing
from .blueprints import BLUEPRINTS
from .chat.inbox import chat_state
from .chat.messages import template_filters as chat_filters
from .chat.messages.rendering import Renderer
from .client_api.http import responses as client_responses
from .config import Config
from .core import reporter
from .core.events.inline import apply_inline
from .core.forms import body_limits, csrf, form_parser, form_session, kept_text
from .core.logs import log
from .core.net import proxies
from .core.rendering import (
    compression,
    error_pages,
    feature_pages,
    fragments,
    kept_pages,
    replays,
    shells,
    templating,
)
from .core.rendering.static import assets, site_files
from .core.secret_key import with_secret
from .core.store.connection import connect
from .core.store.servers.loop_client import LoopClient
from .core.web import converters, request_log, security
from .core.web.prefetching import set_viewer_context
from .core.web.view_options import loop_views, storeless_paths, view_options
from .notifications import views as notifications
from .notifications.store import unread_count
from .pagecache import invalidation, middleware as pagecache
from .registry import REGISTRY, optional_rooms
from .server.bridge.asgi_bridge import AsgiBridge
from .server.bridge.loop_replays import LoopReplays
from .server.bridge.loop_views import LoopViews
from .server.local_store import ensure_store
from .statuses.filters.store import filters_of
from .statuses.view_counts.store import ViewBatch
from .streaming.on_demand import WEB_STREAMS_MAX, StreamsOnDemand
from .streaming.server import StreamApp
from .timelines.trends.current import trends_for
from .timelines.typed_addresses import redirect_typed_address


def create_app(config: Config | Mapping[str, Any] | None = None) -> Flask:
    """Return the web application.

    `config` is a whole Config, or settings that go before the environment's. Names in capitals
    reach Flask too, such as TESTING. If nobody runs the embedded store yet, as under `flask run`,
    this process starts it and applies events inline. Raises BadSetting, StoreError.
    """
    loaded = config if isinstance(config, Config) else settings.load(config)
    app_config = ensure_store(with_secret(loaded))
    app = Flask("webapp", template_folder="../templates", static_folder=None)
    app.jinja_environment = templating.PlainEnvironment
    # No view is a coroutine. Flask would check that at every request.
    app.ensure_sync = lambda func: func  # type: ignore[method-assign]
    _configure_flask(app, app_config, config)
    db = connect(app_config, app_config.store_timeout)
    live = LiveSettings(app_config)
    app.extensions.update({"linnet.config": app_config, "linnet.db": db, "linnet.settings": live})

    app.extensions["linnet.views"] = ViewBatch(Site(db, app_config))
    converters.init(app)
    compression.init(app)
    request_log.init(app, app_config)
    replays.init(app)
    pagecache.init(app, app_config, db)
    proxies.init(app, app_config)  # around the cache, which needs to know the address
    _check_requests(app, app_config)
    _init_rendering(app, app_config)
    _register_viewer_context(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    REGISTRY.require_rows()
    # The last hook: requests get new settings once all else knows of them.
    live.hooks.append(lambda newest: app.extensions.update({"linnet.config": newest}))
    live_settings.refresh(db, live)
    if app_config.write_replicas:
        _acknowledge_replicated_writes(app, db, app_config)
    if app_config.inline_projections:
        apply_inline(app, LiveSite(db, live), REGISTRY)
    return app


def _check_requests(app: Flask, config: Config) -> None:
    """Let an app refuse requests before any view. Members see refusals as members."""
    security.init(app)
    feature_pages.init(app, optional_rooms.feature_pages())
    client_responses.init(app)
    app.before_request(partial(body_limits.set_limits, app, config))
    app.before_request(load_viewer)
    app.before_request(closing.refuse_while_closed)
    app.before_request(redirect_typed_address)
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
    app = _watching_app()
    app.extensions["linnet.assets"].compress()
    config: Config = app.extensions["linnet.config"]
    if config.read_replicas:
        read_from_replicas(app, app.extensions["linnet.db"])
    cached_pages = pagecache.enable_local_cache(app)
    reporter.start(_live_site(app), "web")
    app.extensions[request_log.LISTENER] = Sender(_live_site(app)).start()
    fast_path = proxies.behind_proxies(cached_pages, config) if cached_pages else None
    upload_limit = partial(body_limits.upload_limit, app, partial(uploader, app))
    few_streams = replace(config, streams_max=WEB_STREAMS_MAX)
    streams = StreamsOnDemand(partial(_stream_app, app, few_streams))
    client, storeless = LoopClient(app.extensions["linnet.db"]), storeless_paths(app)
    replays = LoopReplays(app.extensions["linnet.replays"], client, config)
    views = LoopViews(client, loop_views(app))
    Thread(target=templating.compile_hot, args=(app.jinja_env,), daemon=True).start()
    return AsgiBridge(app, config, upload_limit, fast_path, storeless, streams, replays, views)


def streams_app() -> LoggedStreams:
    """Return the app of `linnet stream`. It renders chat messages with the site's templates."""
    app = _watching_app()
    config: Config = app.extensions["linnet.config"]
    streams = _stream_app(app, config)
    reporter.start(_live_site(app), "stream", lambda: len(streams.hub.connections))
    return LoggedStreams(streams, Sender(_live_site(app)).start(), config)


def _watching_app() -> Flask:
    """Return an app whose settings change as soon as they do in the store."""
    app = create_app()
    live_settings.watch(app.extensions["linnet.db"], app.extensions["linnet.settings"])
    return app


def _live_site(app: Flask) -> Site:
    return LiveSite(app.extensions["linnet.db"], app.extensions["linnet.settings"])


def _stream_app(app: Flask, config: Config) -> StreamApp:
    address, live = public_address(config), app.extensions["linnet.settings"]
    return StreamApp(config, Renderer(app, address), Presenter(app, address), live)


def _configure_flask(
    app: Flask, config: Config, overrides: Config | Mapping[str, Any] | None
) -> None:
    app.config.update(
        SECRET_KEY=config.secret_key,
        SECRET_KEY_FALLBACKS=accepted_keys(config)[:-1],
        MAX_CONTENT_LENGTH=config.body_max,
        MAX_FORM_MEMORY_SIZE=config.body_max,
        SESSION_COOKIE_NAME="linnet_form",
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_TIME_LIMIT=None,
    )
    if isinstance(overrides, Mapping):
        app.config.update({name: value for name, value in overrides.items() if name.isupper()})


def _acknowledge_replicated_writes(app: Flask, db: Db, config: Config) -> None:
    """Answer requests that change something only once enough replicas have the change."""

    @app.before_request
    def wait() -> None:
        if is_write():
            db.wait_for_replicas(config.write_replicas, config.write_replicas_disk)

    @app.teardown_request
    def end(error: BaseException | None) -> None:
        db.wait_for_replicas(0)


def read_from_replicas(app: Flask, db: Db) -> None:
    """Let this process read visitors' pages from replicas, if their views declare it.

    Members get all from the primary, so they see what they have just written.
    """
    if not db.start_replica_reads(invalidation.fence()):
        log.warning("READ_REPLICAS does nothing on a Cluster: all is read from its primaries")
        return

    @app.before_request
    def begin() -> None:
        view = app.view_functions.get(request.endpoint or "")
        db.ask_replicas(g.get("viewer") is None and view_options(view).from_replicas)

    @app.teardown_request
    def end(error: BaseException | None) -> None:
        db.ask_replicas(False)


def _register_viewer_context(app: Flask) -> None:
    """Register the values that every page shows of its viewer: unread counts, filters, trends."""
    unread = {"unread_chats": chat_state.unread, "unread_notifications": unread_count}
    set_viewer_context(app, unread | {"filters": filters_of, "trends": trends_for})
    app.extensions["linnet.unread"] = lambda: (
        chat_filters.viewer_badge(),
        notifications.unread_count(),
    )

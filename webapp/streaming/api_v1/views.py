"""The streaming API's addresses in a web process, and the page that explains it.

A web process serves streams where there is no stream process. Each response has a hub and an
endpoint of its own, which read the log from its end on.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from urllib.parse import urlencode

from flask import Blueprint, g, jsonify, redirect, render_template, request
from flask.wrappers import Response as FlaskResponse
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.core.errors import Refused, Unavailable
from webapp.core.forms.csrf import csrf
from webapp.core.settings.live import LiveSite
from webapp.core.store import Site
from webapp.core.web import Response, config, db, live_settings, public, site, stream_base_url
from webapp.core.web.context import site_address
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.server.bridge.wsgi import BUFFERED_RESPONSE
from webapp.streaming.background import end_streams_in_maintenance
from webapp.streaming.http.asgi import Receive, Scope, Send
from webapp.streaming.http.wsgi import ResponseThread, scope_of
from webapp.streaming.hub.hub import Hub
from webapp.streaming.log_reader import LogReader

from . import api
from .endpoint import BODY_MAX, ApiEndpoint
from .held_slots import HeldSlots

bp = Blueprint("streams", __name__)
csrf.exempt(bp)  # clients of the API have no form tokens
TRACK_MAX = 200  # characters of a query that is tried on the page


@public
def serve() -> Response:
    """Answer with a stream that lasts as long as its client, or with the way to one."""
    if not _serves_streams():
        return _redirect_to_stream_process()
    match = api.PATH.match(request.path)
    kind = match[1] if match else ""
    live = LiveSite(db(), live_settings())
    try:
        scope, body = scope_of(request.environ), _read_body()
        stream = open_stream(site(), live, kind, scope, body, site_address())
    except Refused as error:
        return _error_response(error)
    status, headers = stream.start()
    response = FlaskResponse(stream.chunks(), status, headers)
    response.call_on_close(stream.close)
    return response


for kind in api.KINDS:
    for prefix in ("/1.1/statuses/", "/statuses/"):
        bp.add_url_rule(f"{prefix}{kind}.json", view_func=serve, methods=["GET", "POST"])


@bp.get("/about/streaming")
@cached("track")
def about() -> str:
    """Explain the API, with lines that work as pasted, and a stream to try."""
    depends_on_members([])
    track = request.args.get("track", "").strip()[:TRACK_MAX]
    address = stream_base_url() or request.host_url.rstrip("/")
    path = (
        f"filter.json?{urlencode({'track': track})}"
        if track and g.viewer
        else "sample.json?identifier=visitor"
    )
    return render_template(
        "streaming/about.html",
        track=track,
        address=address,
        stream=f"{address}/1.1/statuses/{path}",
    )


def _serves_streams() -> bool:
    """Return True if this process can send endless responses, and the setting allows it."""
    if request.environ.get(BUFFERED_RESPONSE):
        return False
    return config().web_streams or config().inline_projections


def _redirect_to_stream_process() -> Response:
    """Redirect to the stream process.

    A proxy that has one address for both processes should have passed the request there.
    """
    address = stream_base_url()
    if not address or f"{address}/" == request.host_url:
        sentence = (
            "The proxy in front of this site must pass this address to the stream process, "
            "and did not."
        )
        return _error_response(Unavailable("misrouted", sentence))
    query = request.environ.get("QUERY_STRING", "")
    response = redirect(f"{address}{request.path}{'?' if query else ''}{query}", 307)
    response.headers["Cache-Control"] = "no-store"
    return response


def _read_body() -> bytes:
    """Return the body; of a body that is too long, one byte more than allowed."""
    request.max_content_length = BODY_MAX
    try:
        return request.get_data()
    except RequestEntityTooLarge:
        return bytes(BODY_MAX + 1)


def _error_response(error: Refused) -> Response:
    status, body, headers = api.error_response(error)
    response = jsonify(body)
    response.status_code = status
    response.headers.update({"Cache-Control": "no-store", **headers})
    return response


def open_stream(
    site: Site, live: Site, kind: str, scope: Scope, body: bytes, site_url: str
) -> ResponseThread:
    """Return the response to a request; `site_url` is the public address of the pages.

    `live` has the settings of each moment: the stream ends with maintenance. One trip.
    """
    # The web process has heeded the proxies already.
    behind_no_proxy = Site(site.db, replace(site.config, trusted_proxies=0))
    hub = Hub(1, site.config.stream_queue)
    log = LogReader(site.db, hub, site_url)
    slots = HeldSlots(behind_no_proxy)
    endpoint = ApiEndpoint(behind_no_proxy, hub, log, slots, one_by_one=True)
    log.begin_at_end()

    async def serve(receive: Receive, send: Send) -> None:
        work = log.follow(), slots.refresh(), end_streams_in_maintenance(live, hub)
        tasks = [asyncio.create_task(coroutine) for coroutine in work]
        try:
            await endpoint.serve(kind, scope, receive, send)
            await slots.wait_for_releases()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    return ResponseThread(serve, body)

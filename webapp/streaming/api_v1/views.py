"""The streaming API's addresses in a web process, and the page that tells members of it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from urllib.parse import urlencode

from flask import Blueprint, g, jsonify, redirect, render_template, request
from flask import Response as FlaskResponse
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response

from webapp.core.forms.csrf import csrf
from webapp.core.live.stream_urls import stream_base_url
from webapp.core.web.context import config, db
from webapp.core.web.view_options import public
from webapp.errors import Refused, Unavailable
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.server.asgi_bridge import BUFFERED_RESPONSE
from webapp.streaming.pages.requests import Request

from . import api
from .blocking_stream import BlockingStream
from .callers import StreamRequest, request_from_wsgi
from .endpoint import BODY_MAX, GZIP_WBITS
from .parameters import BadParameters

bp = Blueprint("streams", __name__)
csrf.exempt(bp)  # clients of the API know no form tokens
KINDS = ("sample", "filter", "firehose")
TRACK_MAX = 200  # characters of what is tried on the page
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@public
def serve() -> Response:
    """A stream, or the way to it: one answer that goes on for as long as its client stays."""
    if request.environ.get(BUFFERED_RESPONSE) or not (
        config().web_streams or config().inline_projections
    ):
        return _redirect_to_stream_process()
    request.max_content_length = BODY_MAX
    try:
        stream_request = request_from_wsgi(request.environ, _read_body())
        match = api.PATH.match(request.path)
        grant = api.authorize(db(), config(), match[1] if match else "", stream_request)
        if request.method == "HEAD":  # nobody will read it
            return _stream_response(iter(()), grant, stream_request)
        site = config().site_url.rstrip("/") or request.host_url.rstrip("/")
        stream = BlockingStream(
            db(), config(), grant, _as_page_request(stream_request).resume, site
        )
    except (Refused, BadParameters) as error:
        return _error_response(error)
    response = _stream_response(stream.chunks(), grant, stream_request)
    response.call_on_close(stream.close)
    return response


for kind in KINDS:
    for prefix in ("/1.1/statuses/", "/statuses/"):
        bp.add_url_rule(f"{prefix}{kind}.json", view_func=serve, methods=["GET", "POST"])


@bp.get("/about/streaming")
@public
@cached("track")
def about() -> str:
    """What the streaming API is, with lines that work as pasted, and a stream to try."""
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


def _redirect_to_stream_process() -> Response:
    """On to the stream process. Behind a proxy that has one address for both, this one should not have been asked."""
    address = stream_base_url()
    if not address or f"{address}/" == request.host_url:
        sentence = "The proxy in front of this site must pass this address to the stream process, and did not."
        return _error_response(Unavailable("misrouted", sentence))
    query = request.environ.get("QUERY_STRING", "")
    response = redirect(f"{address}{request.path}{'?' if query else ''}{query}", 307)
    response.headers["Cache-Control"] = "no-store"
    return response


def _read_body() -> bytes:
    try:
        return request.get_data()
    except RequestEntityTooLarge:
        raise BadParameters(413, f"A form has at most {BODY_MAX:,} bytes.") from None


def _as_page_request(stream_request: StreamRequest) -> Request:
    header_pairs = [
        (name.encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in stream_request.headers.items()
    ]
    query = stream_request.url_parts.query.encode("latin-1", "replace")
    return Request(
        {
            "method": stream_request.method,
            "path": request.path,
            "query_string": query,
            "headers": header_pairs,
        }
    )


def _stream_response(
    chunks: Iterator[bytes], grant: api.StreamGrant, stream_request: StreamRequest
) -> Response:
    gzipped = bool(request.accept_encodings["gzip"])
    response = FlaskResponse(_gzipped(chunks) if gzipped else chunks, 200, HEADERS)
    response.headers["Content-Type"] = grant.encoder.content_type.decode()
    response.vary.add("Accept-Encoding")
    if gzipped:
        response.headers["Content-Encoding"] = "gzip"
    for name, value in _as_page_request(stream_request).cors(config()):
        response.headers.add(name.decode().title(), value.decode("latin-1"))
    return response


def _gzipped(chunks: Iterator[bytes]) -> Iterator[bytes]:
    compressor = zlib.compressobj(wbits=GZIP_WBITS)
    for chunk in chunks:
        yield compressor.compress(chunk) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush(zlib.Z_FINISH)


def _error_response(error: Refused | BadParameters) -> Response:
    status, body, headers = api.error_response(error)
    response = jsonify(body)
    response.status_code = status
    response.headers.update({"Cache-Control": "no-store", **headers})
    return response

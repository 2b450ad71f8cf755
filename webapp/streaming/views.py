"""The streaming API's addresses in a web process, and the page that tells members of it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from urllib.parse import urlencode

from flask import Blueprint, g, jsonify, redirect, render_template, request
from flask import Response as FlaskResponse
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Response

from ..app import config, db
from ..errors import Refused, Unavailable
from ..gateway import WHOLE
from ..security import csrf, public
from ..streams_url import stream_address
from ..visitors import cached, shows
from . import api
from .callers import Asked, asked_of_wsgi
from .desk import BODY_MAX, GZIP
from .parameters import BadParameters
from .reading import Reading
from .requests import Request

bp = Blueprint("streams", __name__)
csrf.exempt(bp)  # clients of the API know no form tokens
KINDS = ("sample", "filter", "firehose")
TRACK_MAX = 200  # characters of what is tried on the page
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@public
def serve() -> Response:
    """A stream, or the way to it: one answer that goes on for as long as its client stays."""
    if request.environ.get(WHOLE) or not (config().web_streams or config().inline_projections):
        return _elsewhere()
    request.max_content_length = BODY_MAX
    try:
        asked = asked_of_wsgi(request.environ, _body())
        match = api.PATH.match(request.path)
        wanted = api.wanted(db(), config(), match[1] if match else "", asked)
        if request.method == "HEAD":  # nobody will read it
            return _stream(iter(()), wanted, asked)
        site = config().site_url.rstrip("/") or request.host_url.rstrip("/")
        reading = Reading(db(), config(), wanted, _request(asked).resume, site)
    except (Refused, BadParameters) as error:
        return _refusal(error)
    answer = _stream(reading.chunks(), wanted, asked)
    answer.call_on_close(reading.close)
    return answer


for kind in KINDS:
    for prefix in ("/1.1/statuses/", "/statuses/"):
        bp.add_url_rule(f"{prefix}{kind}.json", view_func=serve, methods=["GET", "POST"])


@bp.get("/about/streaming")
@public
@cached("track")
def about() -> str:
    """What the streaming API is, with lines that work as pasted, and a stream to try."""
    shows([])
    track = request.args.get("track", "").strip()[:TRACK_MAX]
    address = stream_address() or request.host_url.rstrip("/")
    path = f"filter.json?{urlencode({'track': track})}" if track and g.viewer else "sample.json?identifier=visitor"
    return render_template(
        "about/streaming.html", track=track, address=address, stream=f"{address}/1.1/statuses/{path}"
    )


def _elsewhere() -> Response:
    """On to the stream process. Behind a proxy that has one address for both, this one should not have been asked."""
    address = stream_address()
    if not address or f"{address}/" == request.host_url:
        sentence = "The proxy in front of this site must pass this address to the stream process, and did not."
        return _refusal(Unavailable("misrouted", sentence))
    query = request.environ.get("QUERY_STRING", "")
    answer = redirect(f"{address}{request.path}{'?' if query else ''}{query}", 307)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _body() -> bytes:
    try:
        return request.get_data()
    except RequestEntityTooLarge:
        raise BadParameters(413, f"A form has at most {BODY_MAX:,} bytes.") from None


def _request(asked: Asked) -> Request:
    raw = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in asked.headers.items()]
    query = asked.parts.query.encode("latin-1", "replace")
    return Request({"method": asked.method, "path": request.path, "query_string": query, "headers": raw})


def _stream(chunks: Iterator[bytes], wanted: api.Wanted, asked: Asked) -> Response:
    squeezed = bool(request.accept_encodings["gzip"])
    answer = FlaskResponse(_squeezed(chunks) if squeezed else chunks, 200, HEADERS)
    answer.headers["Content-Type"] = wanted.framing.content_type.decode()
    answer.vary.add("Accept-Encoding")
    if squeezed:
        answer.headers["Content-Encoding"] = "gzip"
    for name, value in _request(asked).cors(config()):
        answer.headers.add(name.decode().title(), value.decode("latin-1"))
    return answer


def _squeezed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    squeeze = zlib.compressobj(wbits=GZIP)
    for chunk in chunks:
        yield squeeze.compress(chunk) + squeeze.flush(zlib.Z_SYNC_FLUSH)
    yield squeeze.flush(zlib.Z_FINISH)


def _refusal(error: Refused | BadParameters) -> Response:
    status, body, headers = api.refusal(error)
    answer = jsonify(body)
    answer.status_code = status
    answer.headers.update({"Cache-Control": "no-store", **headers})
    return answer

"""Limit the bodies of requests: a form's fields, plus pictures where a view accepts them.

The server reads bodies before the app runs (server/bridge/). Before a long one, it asks
`upload_limit`, so that only members hold the few places for uploads. The app itself refuses
bodies that the server did not read completely.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from flask import Flask, g, request
from flask_babel import gettext as _
from werkzeug.exceptions import HTTPException

from webapp.config import Config
from webapp.core.errors import Refused, RequestTimedOut, TooLarge, Unavailable, WrongBodyType
from webapp.core.web import unwrap
from webapp.core.web.view_options import view_options

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

FindUploader = Callable[["WSGIEnvironment"], int]

# The server sets one of these in the environ of a request whose body it did not read whole.
BODY_INCOMPLETE = "linnet.body_incomplete"  # malformed, or its client stopped sending
BODY_TIMED_OUT = "linnet.body_timed_out"
BODY_TOO_LARGE = "linnet.body_too_large"  # its length was not declared, and went over the limit
BODY_WITHOUT_FILES = "linnet.body_without_files"  # its files are cut, as nobody is logged in
UPLOADS_SATURATED = "linnet.uploads_saturated"  # too many long bodies at the same time
UPLOADER = "linnet.uploader"  # the uid of the member who sends a long body

SESSION_COOKIE_PREFIX = "linnet="  # in the Cookie header of every member, and of nearly no visitor
BEARER_PREFIX = "bearer "  # of the Authorization header with an access token
API_ROOT = "/api/"
UPLOADING = ("POST", "PATCH", "PUT")  # methods of requests whose view may accept pictures
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")
FORM_CHUNK = 65_536  # bytes that Werkzeug reads of a form at once


def init(app: Flask, config: Config) -> None:
    """Refuse bodies that are incomplete or too large."""
    app.before_request(_reject_incomplete_body)
    app.before_request(partial(_reject_large_body, config))
    app.before_request(_reject_unknown_body)


def set_limits(app: Flask, config: Config) -> None:
    """Set how much of a body the app may parse. Also refusals read the form."""
    flask_request = unwrap(request)
    limit = _view_limit(app, config, flask_request.environ, flask_request.endpoint)
    flask_request.max_content_length = limit
    if limit > config.body_max:
        # Werkzeug counts the chunk of a file that it just read as memory, besides the fields.
        flask_request.max_form_memory_size = config.body_max + FORM_CHUNK


def upload_limit(app: Flask, find_uploader: FindUploader, environ: WSGIEnvironment) -> int:
    """Return how many bytes the server may read of this request's body.

    More than BODY_MAX only for members. `find_uploader` returns a uid, 0 for nobody, and may take a
    trip. A form whose session has ended is marked: its texts are read, so that its sender gets them
    back.
    """
    config: Config = app.extensions["linnet.config"]
    limit = body_limit(app, config, environ)
    if limit > config.body_max:
        environ[UPLOADER] = find_uploader(environ)
        if not environ[UPLOADER]:
            environ[BODY_WITHOUT_FILES] = "HTTP_AUTHORIZATION" not in environ
            return config.body_max
    return limit


def body_limit(app: Flask, config: Config, environ: WSGIEnvironment) -> int:
    """Return `upload_limit` without a trip: a session cookie or access token counts as a member."""
    try:
        endpoint, _ = app.url_map.bind_to_environ(environ).match()
    except HTTPException:
        return config.body_max
    return _view_limit(app, config, environ, endpoint)


def _view_limit(app: Flask, config: Config, environ: WSGIEnvironment, endpoint: str | None) -> int:
    if environ["REQUEST_METHOD"] not in UPLOADING or not _may_be_member(environ):
        return config.body_max
    pictures_max = view_options(app.view_functions.get(endpoint or "")).pictures_max
    return config.body_max + pictures_max * config.upload_max


def _may_be_member(environ: WSGIEnvironment) -> bool:
    authorization = environ.get("HTTP_AUTHORIZATION", "")
    has_cookie = SESSION_COOKIE_PREFIX in environ.get("HTTP_COOKIE", "")
    return has_cookie or authorization.lower().startswith(BEARER_PREFIX)


def _reject_incomplete_body() -> None:
    """Refuse a body that the server did not read: it would pass for an empty form."""
    environ = unwrap(request).environ
    if environ.get(BODY_INCOMPLETE):
        raise Refused("body_incomplete")
    if environ.get(BODY_TIMED_OUT):
        raise RequestTimedOut("body_deadline")
    has_lost_files = environ.get(BODY_WITHOUT_FILES) and unwrap(g).viewer
    if environ.get(UPLOADS_SATURATED) or has_lost_files:
        raise Unavailable("too_many_uploads", retry_after=10)


def _reject_large_body(config: Config) -> None:
    flask_request = unwrap(request)
    limit = flask_request.max_content_length or config.body_max
    is_above = limit > config.body_max and (flask_request.content_length or 0) > limit
    if is_above or flask_request.environ.get(BODY_TOO_LARGE):
        raise _too_large(config, limit)


def _reject_unknown_body() -> None:
    """Refuse a body that an API would take for none, as it is neither JSON nor a form."""
    flask_request = unwrap(request)
    if not flask_request.path.startswith(API_ROOT) or not flask_request.content_length:
        return
    if not flask_request.is_json and flask_request.mimetype not in FORM_TYPES:
        raise WrongBodyType("bad_body")


def _too_large(config: Config, limit: int) -> Refused:
    """Return the refusal of a body above `limit`. It names the limit of pictures, if any."""
    if limit == config.body_max:
        return TooLarge("body_too_large")
    size = config.upload_max // 1_048_576
    sentence = _(
        "Those pictures are too big. Each can be up to %(size)d MB. "
        "Go back to your form and choose smaller ones.",
        size=size,
    )
    return TooLarge("pictures_too_large", sentence)

"""Every refusal and failure as one page, with its status code and in the reader's language.

Paths of the APIs answer in JSON instead.
"""

from contextlib import suppress
from urllib.parse import quote

from flask import Flask, Response, current_app, g, request, url_for
from flask.globals import request_ctx
from flask_babel import lazy_gettext as _l
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import (
    BadHost,
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    SecurityError,
)

from webapp.core.errors import SENTENCES, Refused
from webapp.core.forms.refused_forms import refused_form
from webapp.core.logs import log, request_id
from webapp.core.web import SAFE_METHODS, no_store, unwrap
from webapp.core.web.request_log import logged_path, note_refusal
from webapp.core.web.view_options import view_options

from .json_responses import is_api_request, json_http_error, json_refusal
from .kept_pages import render_kept

STAND_IN_HOST = "host.invalid"  # of a request whose own host cannot be used
TITLES = {
    400: (
        _l("That didn’t work"),
        _l("We couldn’t understand that request. Go back, reload the page and try again."),
    ),
    403: (_l("Not allowed"), _l("You can’t do that.")),
    404: (_l("Page not found"), _l("This page doesn’t exist or was removed.")),
    405: (_l("Wrong kind of request"), _l("This address doesn’t accept that kind of request.")),
    408: (_l("Request timed out"), _l("Your request took too long to arrive.")),
    409: (
        _l("Something changed"),
        _l("Something changed in the meantime. Reload the page and try again."),
    ),
    413: (_l("Too big"), _l("That’s larger than we accept.")),
    422: (_l("Check what you entered"), _l("Something in that request isn’t valid.")),
    429: (_l("Slow down a little"), _l("You’re doing that too often. Please wait a moment.")),
    500: (
        _l("Something went wrong"),
        _l("It’s our mistake and we’ve been notified. Please try again."),
    ),
    501: (_l("Not available"), _l("We don’t offer that.")),
    503: (_l("Back in a moment"), _l("We can’t answer right now. Please try again in a moment.")),
}


def init(app: Flask) -> None:
    """Give errors their page. In debug mode, exceptions are left to Flask's debugger."""
    app.register_error_handler(Refused, _handle_refused)
    app.register_error_handler(HTTPException, _handle_http_error)
    if not app.debug:
        app.register_error_handler(Exception, _handle_exception)


def error_page(status: int, sentence: object, retry_after: int | None = None) -> Response:
    """Return the page of an error, with the form that was sent if it holds text.

    `retry_after` is in seconds.
    """
    title, default_sentence = _title_and_sentence(status)
    refused = refused_form()
    if refused and status < 500 and _needs_session():
        response = Response(unwrap(current_app).extensions["linnet.sign_in_page"](refused))
    else:
        response = render_kept(
            "error.html",
            status=status,
            title=title,
            sentence=sentence or default_sentence,
            retry_after=retry_after,
            request_id=request_id.get() if status >= 500 else "",
            refused=refused,
        )
    response.status_code = status
    if retry_after:
        response.headers["Retry-After"] = str(retry_after)
    return no_store(response)


def _handle_refused(error: Refused) -> Response:
    note_refusal(error.code)
    if is_api_request():
        return json_refusal(error)
    return error_page(error.status, error.sentence, error.retry_after)


def _handle_http_error(error: HTTPException) -> Response:
    note_refusal(type(error).__name__)
    if is_api_request():
        return json_http_error(error, _title_and_sentence(error.code or 500)[1])
    if isinstance(error, BadHost | SecurityError):
        _replace_host()
    if isinstance(error, MethodNotAllowed) and request.method in SAFE_METHODS and _is_visit():
        return no_store(Response(status=303, headers={"Location": _page_above()}))
    sentence = SENTENCES["form_expired"] if isinstance(error, CSRFError) and refused_form() else ""
    response = error_page(error.code or 500, sentence)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def _is_visit() -> bool:
    """Return True if a browser says that somebody opens this address, as programs do not."""
    return bool(request.headers.get("Sec-Fetch-Mode") == "navigate")


def _page_above() -> str:
    """Return the closest page above an address that only takes forms: a path goes from page to act.

    Somebody opens it who enters the address of a refused form again.
    """
    path, routes = request.path, unwrap(current_app).url_map.bind(STAND_IN_HOST)
    while path:
        path = path.rpartition("/")[0]
        with suppress(HTTPException):
            endpoint, values = routes.match(path or "/", "GET")
            return url_for(endpoint, **values)
    return "/"


def _replace_host() -> None:
    """Let the page have a host: Flask makes no links without one. Its links do not show it."""
    unwrap(request).host = STAND_IN_HOST
    request_ctx.url_adapter = unwrap(current_app).url_map.bind(STAND_IN_HOST)


def _needs_session() -> bool:
    """Return True if the view is for members, and the request has no session."""
    view = unwrap(current_app).view_functions.get(request.endpoint or "")
    return bool(view) and not view_options(view).public and not g.get("viewer")


def _handle_exception(error: Exception) -> Response:
    log.error("%s %s failed", request.method, quote(logged_path()), exc_info=error)
    return _handle_http_error(InternalServerError())


def _title_and_sentence(status: int) -> tuple[object, object]:
    return TITLES.get(status, TITLES[500 if status >= 500 else 400])

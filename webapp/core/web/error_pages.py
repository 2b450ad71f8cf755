"""Every refusal and failure as one page, with its status code and in the reader's language."""

from __future__ import annotations

from urllib.parse import quote

from flask import Flask, render_template, request
from flask_babel import lazy_gettext as _l
from werkzeug.exceptions import (
    BadHost,
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    SecurityError,
)

from webapp.core.logs import log, request_id
from webapp.errors import Refused

ErrorResponse = tuple[str, int, dict[str, str]]  # page, status, headers
TITLES = {
    400: (
        _l("That didn’t work"),
        _l("We couldn’t understand that request. Go back, reload the page and try again."),
    ),
    403: (_l("Not allowed"), _l("You can’t do that.")),
    404: (_l("Page not found"), _l("This page doesn’t exist or was removed.")),
    405: (_l("Wrong kind of request"), _l("This address doesn’t accept that kind of request.")),
    408: (_l("Too slow"), _l("Your request took too long to arrive.")),
    409: (
        _l("Something changed"),
        _l("Something changed in the meantime. Reload the page and try again."),
    ),
    413: (_l("Too big"), _l("That’s larger than we accept.")),
    422: (_l("Not quite"), _l("Something in that request can’t be accepted.")),
    429: (_l("Slow down a little"), _l("You’re doing that too often. Please wait a moment.")),
    500: (
        _l("Something went wrong"),
        _l("It’s our mistake and we’ve been notified. Please try again."),
    ),
    503: (_l("Back in a moment"), _l("We can’t answer right now. Please try again in a moment.")),
}


def init(app: Flask) -> None:
    """Give errors their page. In debug mode, exceptions are left to Flask's debugger."""
    app.register_error_handler(Refused, _handle_refused)
    app.register_error_handler(HTTPException, _handle_http_error)
    if not app.debug:
        app.register_error_handler(Exception, _handle_exception)


def error_page(status: int, sentence: object = "", retry_after: int | None = None) -> ErrorResponse:
    """Return the page of an error. `retry_after` is in seconds."""
    title, default_sentence = TITLES.get(status, TITLES[500 if status >= 500 else 400])
    page = render_template(
        "error.html",
        status=status,
        title=title,
        sentence=sentence or default_sentence,
        retry_after=retry_after,
        request_id=request_id.get(),
    )
    headers = {"Cache-Control": "no-store"}
    if retry_after:
        headers["Retry-After"] = str(retry_after)
    return page, status, headers


def _handle_refused(error: Refused) -> ErrorResponse:
    return error_page(error.status, error.sentence, error.retry_after)


def _handle_http_error(error: HTTPException) -> ErrorResponse:
    if isinstance(error, BadHost | SecurityError):
        return _bad_host_response()
    page, status, headers = error_page(error.code or 500)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return page, status, headers


def _bad_host_response() -> ErrorResponse:
    """Return plain text: a page's links would need the host."""
    _, sentence = TITLES[400]
    headers = {"Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"}
    return f"{sentence}\n", 400, headers


def _handle_exception(error: Exception) -> ErrorResponse:
    log.error("%s %s failed", request.method, quote(request.path), exc_info=error)
    return error_page(InternalServerError.code)

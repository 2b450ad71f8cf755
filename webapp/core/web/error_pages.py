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
        _l("That did not work"),
        _l("We could not understand that request. Go back, reload the page and try again."),
    ),
    403: (_l("Not allowed"), _l("You may look, but not do that.")),
    404: (_l("Nothing here"), _l("This page does not exist, or it is gone.")),
    405: (_l("Not like that"), _l("This address does not take that kind of request.")),
    408: (_l("Too slow"), _l("Your request took too long to arrive.")),
    409: (
        _l("That has changed"),
        _l("Things are not as they were any more. Reload the page and try again."),
    ),
    413: (_l("Too much"), _l("That is larger than we accept.")),
    422: (_l("Not quite"), _l("Something in that request cannot be accepted.")),
    429: (_l("A little slower, please"), _l("That was too often. Please wait a moment.")),
    500: (
        _l("Our mistake"),
        _l("Something broke on our side. We have noted it; please try again."),
    ),
    503: (_l("Back in a moment"), _l("We cannot answer right now. Please try again in a moment.")),
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

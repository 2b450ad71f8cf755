"""Answers of the API: JSON, also for errors."""

from __future__ import annotations

from typing import Any

import orjson
from flask import Blueprint, Response, request
from werkzeug.exceptions import HTTPException, InternalServerError

from webapp.chat.ids import parse_cid
from webapp.chat.members import invitations
from webapp.core.logs import log
from webapp.core.web.context import db
from webapp.errors import NotFound, Refused, Unauthorized


def json_response(data: Any, status: int = 200) -> Response:
    """Return data as JSON that no cache stores."""
    response = Response(orjson.dumps(data), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def register_error_handlers(bp: Blueprint) -> None:
    """Let a blueprint answer its errors in JSON."""
    bp.register_error_handler(Refused, _handle_refused)
    bp.register_error_handler(HTTPException, _handle_http_error)
    bp.register_error_handler(Exception, _handle_exception)


def _handle_refused(error: Refused) -> Response:
    """Answer a refusal of the store with its code, for programs, and its sentence, for people."""
    error = _hide_closed_chat(error)
    response = json_response({"error": error.code, "message": str(error.sentence)}, error.status)
    if error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unauthorized):
        response.headers["WWW-Authenticate"] = 'Bearer realm="Linnet"'
    return response


def _handle_http_error(error: HTTPException) -> Response:
    """Answer an error of the server, such as a body that is too large."""
    name = error.name.lower().replace(" ", "_")
    return json_response({"error": name, "message": error.description}, error.code or 500)


def _handle_exception(error: Exception) -> Response:
    """Log and answer an unexpected error."""
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return _handle_http_error(InternalServerError())


def _hide_closed_chat(error: Refused) -> Refused:
    """Return NotFound in place of "not in chat", unless anybody may join the chat. One trip."""
    if error.code != "not_in_chat":
        return error
    cid = parse_cid((request.view_args or {}).get("cid", ""))
    if cid and db().read(invitations.open_chat(cid)):
        return error
    return NotFound("no_chat")

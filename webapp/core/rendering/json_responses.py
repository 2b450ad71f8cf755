"""Answers of the site's JSON APIs, also for errors: every path under `/api` answers in JSON."""

from typing import Any

import orjson
from flask import Response, request
from flask_babel import lazy_gettext as _l
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from webapp.core.errors import Refused, Unauthorized
from webapp.core.web import unwrap

API_ROOT = "/api"
UNKNOWN_PATH = _l("The API has no such address.")


def is_api_request() -> bool:
    """Return True if the request's path is one of an API."""
    path = unwrap(request).path
    return path == API_ROOT or path.startswith(f"{API_ROOT}/")


def json_response(data: Any, status: int = 200) -> Response:
    """Return data as JSON that no cache stores."""
    response = Response(orjson.dumps(data), status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def json_refusal(error: Refused) -> Response:
    """Answer a refusal with its code, for programs, and its sentence, for people."""
    response = json_response({"error": error.code, "message": str(error.sentence)}, error.status)
    if error.retry_after:
        response.headers["Retry-After"] = str(error.retry_after)
    if isinstance(error, Unauthorized):
        response.headers["WWW-Authenticate"] = 'Bearer realm="Linnet"'
    return response


def json_http_error(error: HTTPException, sentence: object) -> Response:
    """Answer an error of the server, such as an unknown path, with its name as the code."""
    code = error.name.lower().replace(" ", "_")
    sentence = UNKNOWN_PATH if error.code == 404 else sentence
    response = json_response({"error": code, "message": str(sentence)}, error.code or 500)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response

"""Stored pictures as responses."""

from flask import Response, request

from webapp.config import Config
from webapp.core.errors import NotFound
from webapp.core.web import vary

from . import files
from .signatures import HOUR_SECONDS
from .storage import CHAT_PICTURE_FILE

YEAR_SECONDS = 31_536_000
# Browsers lay out a picture that is opened by itself with an inline style.
PICTURE_CSP = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'"


def picture_response(
    config: Config, file: str, private: bool, cache_seconds: int = YEAR_SECONDS
) -> Response:
    """Return a file below the media folder, to be cached for ever: its content never changes.

    `private`: only in the browser's own cache. Raises NotFound.
    """
    mimetype = "image/png" if file.endswith(".png") else "image/webp"
    response = Response(files.read(config.media_path / file), mimetype=mimetype)
    response.set_etag(file.rpartition("/")[2])
    response.headers["Content-Security-Policy"] = PICTURE_CSP
    if private:
        response.cache_control.private = True
    else:
        response.cache_control.public = True
    response.cache_control.max_age = cache_seconds
    response.cache_control.immutable = cache_seconds == YEAR_SECONDS
    response.make_conditional(request)
    return response


def signed_picture_response(config: Config, file: str) -> Response:
    """Return a restricted picture, cached by the viewer's browser as long as its address lives.

    Raises NotFound.
    """
    response = picture_response(config, file, private=True, cache_seconds=HOUR_SECONDS)
    vary(response, "Cookie")
    vary(response, "Authorization")
    return response


def chat_picture_response(config: Config, file: str) -> Response:
    """Return a file of a chat's pictures, for a viewer who belongs to the chat: the caller checks.

    Raises NotFound.
    """
    if not CHAT_PICTURE_FILE.fullmatch(file):
        raise NotFound("no_picture")
    return picture_response(config, file, private=True)

"""Create the blueprints of chat pages, with their paths, permissions and error responses."""

from collections.abc import Mapping

from flask import Blueprint, g, request, url_for
from flask.blueprints import BlueprintSetupState
from werkzeug.routing import BaseConverter, ValidationError
from werkzeug.wrappers import Response

from webapp.core.errors import Forbidden, NotFound, Refused
from webapp.core.rendering.error_pages import error_page
from webapp.core.web.request_log import note_refusal

from .ids import direct_members, parse_cid

ViewResponse = (
    str
    | Response
    | tuple[str, int]
    | tuple[dict[str, int], int]
    | tuple[str, int, Mapping[str, str]]
)


class ChatIdConverter(BaseConverter):
    """The id of a chat in a path: `<cid:cid>`."""

    regex = "[0-9-]+"

    def to_python(self, value: str) -> str:
        """Return the id. Raises ValidationError, which leads to a 404 page."""
        cid = parse_cid(value)
        if cid is None:
            raise ValidationError()
        return cid


def chat_blueprint(name: str, import_name: str, url_prefix: str = "/chats") -> Blueprint:
    """Return a blueprint of pages of chats. Its paths may have `<cid:cid>`."""
    bp = Blueprint(name, import_name, url_prefix=url_prefix)
    bp.record(register_converter)
    bp.before_request(require_participant)
    bp.register_error_handler(Forbidden, handle_forbidden)
    return bp


def register_converter(state: BlueprintSetupState) -> None:
    """Let the paths of an app have `<cid:cid>`."""
    state.app.url_map.converters["cid"] = ChatIdConverter


def require_participant() -> None:
    """Raise NotFound for a direct chat of two others: nobody learns whether it exists."""
    cid = (request.view_args or {}).get("cid", "")
    members = direct_members(cid)
    if members and g.viewer.uid not in members:
        raise NotFound("no_chat")


def handle_forbidden(refusal: Forbidden) -> ViewResponse:
    """Show a refusal. Somebody who is not a member sees the same as if there were no chat."""
    note_refusal(refusal.code)
    error: Refused = NotFound("no_chat") if refusal.code == "not_in_chat" else refusal
    return error_page(error.status, error.sentence)


def chat_url(cid: str, message_id: int = 0) -> str:
    """Return the path of a chat, at one of its messages."""
    return url_for("chats.show", cid=cid, _anchor=f"m{message_id}" if message_id else None)

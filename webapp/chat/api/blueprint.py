"""The blueprints of the API: who calls, from where, and which chat a path names."""

from flask import Blueprint, Response, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from webapp.accounts.store import Member
from webapp.accounts.tokens import store as tokens
from webapp.chat.ids import direct_members, parse_cid
from webapp.chat.members import invitations
from webapp.core.errors import NotFound, Refused, Unauthorized
from webapp.core.forms.csrf import csrf, require_same_origin
from webapp.core.rendering.json_responses import json_refusal
from webapp.core.store import Site
from webapp.core.web import SAFE_METHODS, db, site
from webapp.core.web.request_log import note_refusal

from .requests import should_mark_fetched


def authenticate(site: Site, authorization: str, viewer: Member | None) -> Member:
    """Return the caller, by the Authorization header or, without one, by the session.

    Raises Unauthorized, Unavailable.
    """
    scheme, _, token = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return Unauthorized.unless(tokens.authenticate(site, token.strip()), "bad_token")
    if scheme or viewer is None:
        raise Unauthorized("who_are_you_here")
    return viewer


FETCHING_ENDPOINT = "chat_api_fetch.pending"


def api_blueprint(name: str, import_name: str) -> Blueprint:
    """Return a blueprint of the API. `g.caller` is the member or bot that calls."""
    bp = Blueprint(name, import_name, url_prefix="/api/chats")
    csrf.exempt(bp)  # `_load_caller` checks the origin of callers with a cookie
    bp.before_request(_load_caller)
    bp.before_request(_reject_large_body)
    bp.before_request(_require_possible_chat)
    bp.register_error_handler(Refused, _handle_refused)
    return bp


def _load_caller() -> None:
    """Authenticate the caller. A cookie changes something only from pages of this site."""
    g.caller = authenticate(site(), request.headers.get("Authorization", ""), g.viewer)
    by_cookie = g.caller is g.viewer  # whatever headers there are: a browser may send an empty one
    # A plain GET that fetches changes something too, so a link or an image must not cause it.
    is_fetch = request.endpoint == FETCHING_ENDPOINT and should_mark_fetched()
    if by_cookie and (is_fetch or request.method not in SAFE_METHODS):
        require_same_origin()


def _reject_large_body() -> None:
    """Refuse a body above the limit, also where no view reads it."""
    limit = request.max_content_length
    if limit is not None and (request.content_length or 0) > limit:
        raise RequestEntityTooLarge()


def _require_possible_chat() -> None:
    """Raise NotFound for a path with no id of a chat, or with a direct chat of two others."""
    cid = (request.view_args or {}).get("cid")
    if cid is None:
        return
    members = direct_members(cid) if parse_cid(cid) else ()
    if members is not None and g.caller.uid not in members:
        raise NotFound("no_chat")


def _handle_refused(error: Refused) -> Response:
    note_refusal(error.code)
    return json_refusal(_hide_closed_chat(error))


def _hide_closed_chat(error: Refused) -> Refused:
    """Return NotFound in place of "not in chat", unless anybody may join the chat. One trip."""
    if error.code != "not_in_chat":
        return error
    cid = parse_cid((request.view_args or {}).get("cid", ""))
    if cid and db().read(invitations.open_chat(cid)):
        return error
    return NotFound("no_chat")

"""The members of chats in the API: list, add, remove, promote and demote them; join and leave."""

from flask import Response, g

from webapp.chat import reading
from webapp.chat.ids import is_direct
from webapp.chat.inbox import chat_state
from webapp.chat.members import invitations, membership
from webapp.core.errors import Forbidden, Invalid
from webapp.core.rendering.json_responses import json_response
from webapp.core.web import db, public, site

from .blueprint import api_blueprint
from .fields import choice_field, resolve_member
from .requests import consume_limit, limited, request_fields
from .serializers import membership_to_json

ROLES = ("owner", "member")
bp = api_blueprint("chat_api_members", __name__)


@bp.get("/<cid>/members")
@limited("chat-read")
def index(cid: str) -> Response:
    """List the members of a chat, in the order they came."""
    db().read(reading.open_chat(g.caller.uid, cid))
    members = membership.list_members(db(), cid)
    return json_response({"members": [membership_to_json(member) for member in members]})


@bp.put("/<cid>/members/<member>")
@public
def put(cid: str, member: str) -> Response:
    """Add a member to a group chat, or change a member's `role`. Doing it again changes nothing."""
    role = choice_field(request_fields(), "role", ROLES)
    page = db().read(reading.open_chat(g.caller.uid, cid))
    if role and not page.is_owner:
        raise Forbidden("only_owners")
    uid = resolve_member(member)
    is_new = not db().read(membership.is_member(cid, uid))
    consume_limit("group" if is_new else "chat")
    if is_new:
        membership.add(site(), g.caller.uid, cid, [uid])
    if role == "owner":
        membership.promote(db(), g.caller.uid, cid, uid)
    elif role == "member":
        membership.demote(db(), g.caller.uid, cid, uid)
    return Response(status=204)


@bp.delete("/<cid>/members/<member>")
@limited("chat")
def delete(cid: str, member: str) -> Response:
    """Remove a member from a group chat, as an owner."""
    db().read(reading.open_chat(g.caller.uid, cid))
    membership.remove(site(), g.caller.uid, cid, resolve_member(member))
    return Response(status=204)


@bp.post("/<cid>/join")
@limited("chat")
def join(cid: str) -> Response:
    """Join an open group chat, or any with an `invitation`: its link, or the end of the link."""
    invitation = request_fields().get("invitation", "")
    if not isinstance(invitation, str):
        raise Invalid("bad_invitation")
    secret = ""
    if invitation:
        invited_cid, secret = invitations.parse_token(invitation.rpartition("/")[2])
        if invited_cid != cid:
            raise Forbidden("chat_invite_bad")
    membership.join(site(), g.caller.uid, cid, secret)
    chat_state.accept_if_pending(db(), g.caller.uid, cid)
    return Response(status=204)


@bp.post("/<cid>/leave")
@limited("chat")
def leave(cid: str) -> Response:
    """Leave a group chat."""
    db().read(reading.open_chat(g.caller.uid, cid))
    if is_direct(cid):
        raise Forbidden("not_a_group")
    membership.leave(site(), g.caller.uid, cid)
    return Response(status=204)

"""Make and revoke invitations to a group chat, and join it."""

from flask import g, redirect, render_template, request, url_for
from flask_babel import lazy_gettext as _l

from webapp.chat.inbox import chat_state
from webapp.chat.members import invitations, membership
from webapp.chat.members.forms import InviteForm
from webapp.chat.members.page import render_people
from webapp.chat.web import ViewResponse, chat_blueprint, chat_url
from webapp.core.errors import Forbidden, NotFound, Refused
from webapp.core.web import Response, consume_for_viewer, db, secret_path, site
from webapp.core.web.redirects import declare_act

bp = chat_blueprint("chat_invitations", __name__)
REVOKE, REVOKED = "/<cid:cid>/invites/<sha>/revoke", _l("Invitation revoked.")
declare_act(bp, REVOKE, invitations.revoke, "membership.people", takes=db, said=REVOKED)


@bp.post("/<cid:cid>/invites")
def create(cid: str) -> ViewResponse:
    """Make an invitation. Only this page shows its link."""
    form = InviteForm()
    if not form.is_accepted():
        return render_people(cid, invite_form=form)
    try:
        consume_for_viewer("chat")
        token = invitations.create(site(), g.viewer.uid, cid, form.uses.data, form.hours.data)
    except (Forbidden, NotFound):
        raise
    except Refused as refusal:
        return render_people(cid, invite_form=form.refuse(refusal, "uses"))
    invite_url = url_for("chat_invitations.join", token=token, _external=True)
    return render_people(cid, invite_url=invite_url)


@bp.route("/join/<token>", methods=["GET", "POST"])
@secret_path
def join(token: str) -> ViewResponse:
    """Show the group chat that an invitation leads to, and join it."""
    cid, secret = invitations.parse_token(token)
    if request.method == "POST":
        return _join(cid, secret)
    chat = db().read(invitations.invited_chat(token))
    membership.require_maker(db(), g.viewer.uid, cid, secret)
    action = url_for("chat_invitations.join", token=token)
    return render_template("chat/members/join.html", chat=chat, action=action)


@bp.post("/<cid:cid>/join")
def join_open(cid: str) -> Response:
    """Join an open group chat."""
    return _join(cid)


def _join(cid: str, secret: str = "") -> Response:
    """Join a group chat. This accepts a pending request."""
    consume_for_viewer("chat")
    membership.join(site(), g.viewer.uid, cid, secret)
    chat_state.accept_if_pending(db(), g.viewer.uid, cid)
    return redirect(chat_url(cid), 303)

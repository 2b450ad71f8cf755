"""A member's own invitations, on Settings."""

from functools import partial

from flask import Blueprint, g, render_template, request
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts import store as accounts
from webapp.core.errors import Forbidden
from webapp.core.web import ViewResponse, config, db, done, no_store, prefetch, rate_limited, site

from . import invites, own
from .forms import OwnInviteForm

bp = Blueprint("invitations", __name__, url_prefix="/settings/invitations")
bp.after_request(no_store)


@bp.route("", methods=["GET", "POST"])
@prefetch(lambda requester: own.expirations(requester.uid or 0))
def index(expires: invites.Expirations) -> ViewResponse:
    """Make an invitation for one person, or show the viewer's invitations, with their links.

    Raises Forbidden where members may make none.
    """
    form, may_invite = OwnInviteForm(), config().members_invite and not g.viewer.limited
    if form.is_submitted() and not may_invite:
        raise Forbidden("cannot_invite")
    create = partial(own.create, site(), g.viewer.uid)
    if form.carry_out(lambda: create(form.note.data), "group", "invite"):
        return done(_("Your invitation is ready. Copy its link."), "invitations.index")
    found = db().read(invites.read_invites(expires))
    page = render_template(
        "accounts/invitations/own.html",
        form=form if may_invite else None,
        invites=found,
        people=db().read(accounts.get_many(uid for one in found for uid in one.came)),
        most=config().invites_max,
    )
    return page, form.http_status


@bp.post("/cancel")
@rate_limited("group", "invite")
def cancel() -> Response:
    """Cancel an invitation that nobody has used. Raises NotFound, Conflict."""
    own.cancel(site(), g.viewer.uid, request.form.get("code", ""))
    return done(_("Invitation cancelled."), "invitations.index")

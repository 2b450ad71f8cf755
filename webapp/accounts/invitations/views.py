"""A member's own invitations, on Settings."""

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


@bp.get("")
@prefetch(lambda requester: own.expirations(requester.uid or 0))
def index(expires: invites.Expirations) -> str:
    """Show the viewer's invitations, with their links, and a form for another one."""
    return _page(OwnInviteForm(formdata=None), expires)


@bp.post("")
@rate_limited("group", "invite")
def create() -> ViewResponse:
    """Make an invitation for one person. Raises Forbidden where members may not."""
    if not _may_invite():
        raise Forbidden("cannot_invite")
    form = OwnInviteForm()
    if form.carry_out(lambda: own.create(site(), g.viewer.uid, form.note.data)):
        return done(_("Your invitation is ready. Copy its link."), "invitations.index")
    return _page(form), form.http_status


@bp.post("/cancel")
@rate_limited("group", "invite")
def cancel() -> Response:
    """Cancel an invitation that nobody has used. Raises NotFound, Conflict."""
    own.cancel(site(), g.viewer.uid, request.form.get("code", ""))
    return done(_("Invitation cancelled."), "invitations.index")


def _may_invite() -> bool:
    return config().members_invite and not g.viewer.limited


def _page(form: OwnInviteForm, expires: invites.Expirations | None = None) -> str:
    if expires is None:
        expires = db().read(own.expirations(g.viewer.uid))
    found = db().read(invites.read_invites(expires))
    return render_template(
        "accounts/invitations/own.html",
        form=form if _may_invite() else None,
        invites=found,
        people=db().read(accounts.get_many(uid for one in found for uid in one.came)),
        most=config().invites_max,
    )

"""Inviting members to a group by name or with a link, and following such a link."""

from functools import partial

from flask import Blueprint, Response as FlaskResponse, flash, g, redirect, request, url_for
from flask_babel import gettext as _, ngettext

from webapp.autocomplete.picking.forms import ChosenForm
from webapp.autocomplete.picking.people import picker
from webapp.chat.members.forms import InviteForm
from webapp.community.groups import lookup, store as groups
from webapp.community.groups.views import gid_read
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.web import Response, db, done, prefetch, private_page, secret_path, site
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited

from . import store

bp = Blueprint("group_invitations", __name__)
BESIDE_NAMES = ("no_member", "cannot_invite_them", "group_invite_banned", "group_invites_full")


@bp.get("/groups/<slug>/invitations")
@prefetch(gid_read)
def index(gid: int, slug: str) -> FlaskResponse:
    """Show the invitations to a group to those who may invite, with a form for more."""
    return _render(gid)


@bp.post("/groups/<slug>/invitations")
@prefetch(gid_read)
def invite(gid: int, slug: str) -> Response:
    """Invite members by name."""
    form = ChosenForm()
    if not form.is_accepted():
        return _render(gid, form=form)
    consume_for_viewer("group", "group_invite")
    try:
        count = store.invite(site(), g.viewer.uid, gid, form.people.logins)
    except (Conflict, Forbidden, NotFound) as refusal:
        if refusal.code not in BESIDE_NAMES:
            raise
        return _render(gid, form=form.refuse(refusal, "people"))
    flash(ngettext("%(num)d person was invited.", "%(num)d people were invited.", count))
    return redirect(url_for("group_invitations.index", slug=slug), 303)


@bp.post("/groups/<slug>/invitations/link")
@prefetch(gid_read)
def make_link(gid: int, slug: str) -> FlaskResponse:
    """Make a link into a group. Only this page shows it."""
    form, make = InviteForm(), partial(store.make_link, site(), g.viewer.uid, gid)
    if not form.carry_out(
        lambda: make(form.uses.data, form.hours.data), "group", "group_invite", field="uses"
    ):
        return _render(gid, link_form=form)
    link = url_for("group_invitations.follow", token=form.outcome, _external=True)
    return _render(gid, new_link=link)


@bp.post("/groups/<slug>/invitations/end")
@prefetch(gid_read)
@rate_limited("follow")
def end(gid: int, slug: str) -> Response:
    """End an invitation: `target` is the sha of a link, or `@uid` of a member."""
    store.end(site(), g.viewer.uid, gid, request.form.get("target", ""))
    return done(_("Invitation revoked."), "group_invitations.index", slug=slug)


@bp.post("/groups/<slug>/invitations/decline")
@prefetch(gid_read)
@rate_limited("follow")
def decline(gid: int, slug: str) -> Response:
    """Decline one's own invitation."""
    store.end(site(), g.viewer.uid, gid, f"@{g.viewer.uid}")
    return done(_("Invitation declined."), "groups.index")


@bp.route("/groups/join/<token>", methods=["GET", "POST"])
@secret_path
def follow(token: str) -> FlaskResponse | Response:
    """Show the group that a link leads into, and join it."""
    gid, secret = store.parse_token(token)
    if request.method == "POST":
        consume_for_viewer("follow")
        groups.join(site(), g.viewer.uid, gid, secret)
        return done(_("You joined the group."), "groups.by_number", gid=gid)
    group = db().read(lookup.group(gid, g.viewer.uid))
    store.require_link(db(), g.viewer.uid, gid, secret)
    return private_page("groups/join.html", group=group, token=token)


def _render(
    gid: int,
    form: ChosenForm | None = None,
    link_form: InviteForm | None = None,
    new_link: str = "",
) -> FlaskResponse:
    """Render the page of invitations. Four trips. Raises NotFound, Forbidden."""
    form = form or ChosenForm(formdata=None)
    link_form = link_form or InviteForm(formdata=None)
    group, search = db().fetch(lookup.group(gid, g.viewer.uid), form.search())
    if not group.may_invite:
        raise Forbidden("only_group_owners")
    return private_page(
        "groups/invitations.html",
        201 if new_link else max(form.http_status, link_form.http_status),
        group=group,
        form=form,
        new_link=new_link,
        current="members",
        picker=db().read(picker(g.viewer.uid, search)),
        invitations=store.waiting(db(), gid),
        link_form=link_form,
    )

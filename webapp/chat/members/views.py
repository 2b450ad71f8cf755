"""Make a group chat, and add, remove and promote its members."""

from contextlib import suppress

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _, ngettext

from webapp.accounts import store as accounts
from webapp.autocomplete.picking.people import picker
from webapp.chat.ids import is_direct
from webapp.chat.models import Content
from webapp.chat.web import ViewResponse, chat_blueprint
from webapp.core.errors import Forbidden, Invalid, NotFound, Refused
from webapp.core.store import parse_id
from webapp.core.web import Response, consume_for_viewer, db, done, rate_limited, site

from . import group_chats, membership
from .forms import GroupChatForm, PeopleForm
from .page import render_people

bp = chat_blueprint("membership", __name__)


@bp.route("/new", methods=["GET", "POST"])
def new() -> ViewResponse:
    """Make a group chat, with its first members and its first message."""
    names = " ".join((*request.args.getlist("people"), request.args.get("with", "")))
    form = GroupChatForm(people=names)
    if not form.is_accepted():
        return _render_new(form)
    try:
        consume_for_viewer("group")
        cid = _create_group_chat(form, _resolve_logins(form))
        return redirect(url_for("chats.show", cid=cid), 303)
    except Refused as refusal:
        form.refuse(refusal, "people")
    return _render_new(form)


@bp.get("/<cid:cid>/people")
def people(cid: str) -> ViewResponse:
    """Show the people of a group chat, and its invitations."""
    return render_people(cid)


@bp.post("/<cid:cid>/people/add")
def add(cid: str) -> ViewResponse:
    """Bring people into a group chat."""
    form = PeopleForm()
    if not form.is_accepted():
        return render_people(cid, form)
    try:
        consume_for_viewer("group")
        added = membership.add(site(), g.viewer.uid, cid, _resolve_logins(form))
    except Refused as refusal:
        return _render_refused_add(cid, form, refusal)
    flash(ngettext("%(num)d person was added.", "%(num)d people were added.", added))
    return redirect(url_for("membership.people", cid=cid), 303)


@bp.post("/<cid:cid>/people/remove")
@rate_limited("chat")
def remove(cid: str) -> Response:
    """Remove a member from a group chat."""
    membership.remove(site(), g.viewer.uid, cid, _member_uid())
    return done(_("They’re no longer in this chat."), "membership.people", cid=cid)


@bp.post("/<cid:cid>/people/promote")
@rate_limited("chat")
def promote(cid: str) -> Response:
    """Make a member an owner."""
    membership.promote(db(), g.viewer.uid, cid, _member_uid())
    return done(_("They’re an owner now."), "membership.people", cid=cid)


@bp.post("/<cid:cid>/people/demote")
@rate_limited("chat")
def demote(cid: str) -> Response:
    """Make an owner a plain member."""
    membership.demote(db(), g.viewer.uid, cid, _member_uid())
    return done(_("They’re no longer an owner."), "membership.people", cid=cid)


@bp.post("/<cid:cid>/leave")
@rate_limited("chat")
def leave(cid: str) -> Response:
    """Leave a group chat."""
    if is_direct(cid):
        raise Forbidden("not_a_group")
    with suppress(NotFound):  # the answer does not reveal whether the chat exists
        membership.leave(site(), g.viewer.uid, cid)
    return done(_("You left the group chat."), "chats.index")


def _render_new(form: GroupChatForm) -> ViewResponse:
    """Render the form of a new group chat, with people to choose from. Two trips."""
    people = db().read(picker(g.viewer.uid, db().read(form.search())))
    page = render_template("chat/new.html", form=form, picker=people)
    return page, form.http_status, form.http_headers


def _create_group_chat(form: GroupChatForm, member_uids: list[int]) -> str:
    content = Content(form.parsed.text, form.parsed.entities) if form.parsed.text else None
    return group_chats.create(
        site(),
        g.viewer.uid,
        form.kind.data,
        form.name.data,
        member_uids,
        content,
        form.key.data,
        form.topic.data,
        form.shared.data,
    )


def _resolve_logins(form: PeopleForm) -> list[int]:
    """Return the uids of a form's people, without the viewer's. Two trips.

    Raises Invalid if a login is nobody's.
    """
    members = accounts.get_many_by_login(db(), form.people.logins)
    missing = [login for login in form.people.logins if login not in members]
    if missing:
        names = ", ".join(f"@{login}" for login in missing)
        sentence = _("Can’t find these members: %(names)s", names=names)
        raise Invalid("no_members", sentence)
    uids = dict.fromkeys(member.uid for member in members.values())  # some by two logins
    return [uid for uid in uids if uid != g.viewer.uid]


def _render_refused_add(cid: str, form: PeopleForm, refusal: Refused) -> ViewResponse:
    """Render the page with the refusal beside the form. Raises it if it is about the chat."""
    is_about_them = refusal.code == "cannot_write_them"
    if isinstance(refusal, Forbidden | NotFound) and not is_about_them:
        raise refusal
    form.refuse(refusal, "people")
    if is_about_them:
        form.people.errors = [_("You can’t add one of them.")]
    return render_people(cid, form)


def _member_uid() -> int:
    """Return the member that a form is about. Raises NotFound."""
    return NotFound.unless(parse_id(request.form.get("uid", "")), "no_member")

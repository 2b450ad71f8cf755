"""Groups: making one, who belongs to it, what owners may change, invitations, coming and going."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response

from .. import limits, media
from ..accounts.store import find_all
from ..app import config, db
from ..errors import Forbidden, NotFound, RateLimited, Refused
from ..ids import parse_id
from ..security import takes_pictures
from . import invites, marks, membership, reading
from .forms import GroupForm, InviteForm, PeopleForm, SettingsForm
from .page import View, back_to, forbidden, known_cid, retry_headers
from .reading import Opened
from .store import Draft, is_direct

bp = Blueprint("membership", __name__, url_prefix="/chats")
bp.register_error_handler(Forbidden, forbidden)


@bp.route("/new", methods=["GET", "POST"])
def new() -> View:
    """A new group, with its first members and its first message."""
    form = GroupForm(people=request.args.get("with", ""))
    if request.method != "POST":
        return render_template("chats/new.html", form=form)
    try:
        if not form.validate_on_submit():
            return render_template("chats/new.html", form=form), 422
        _count(group=True)
        if (people := _named(form)) is None:
            return render_template("chats/new.html", form=form), 422
        cid = membership.create(
            db(),
            config(),
            g.viewer.uid,
            form.kind.data,
            form.name.data,
            people,
            Draft(form.parsed.text, form.parsed.entities) if form.parsed.text else None,
            form.key.data,
            form.topic.data,
            form.shared.data,
        )
    except Refused as refusal:
        form.people.errors = [str(refusal.sentence)]
        return render_template("chats/new.html", form=form), refusal.status, retry_headers(refusal)
    return redirect(url_for("chats.show", cid=cid), 303)


@bp.get("/<cid>/people")
def people(cid: str) -> View:
    """Who belongs to a chat."""
    return _people_page(known_cid(cid))


@bp.post("/<cid>/people/add")
def add(cid: str) -> View:
    """Brings others in."""
    cid, form = known_cid(cid), PeopleForm()
    try:
        if not form.validate_on_submit():
            return _people_page(cid, form, status=422)
        _count(group=True)
        if (found := _named(form)) is None:
            return _people_page(cid, form, status=422)
        membership.add(db(), config(), g.viewer.uid, cid, found)
    except Refused as refusal:
        blocked = refusal.code == "cannot_write_them"
        if isinstance(refusal, Forbidden | NotFound) and not blocked:
            raise
        form.people.errors = [str(_("One of them cannot be added by you.") if blocked else refusal.sentence)]
        return _people_page(cid, form, status=refusal.status, headers=retry_headers(refusal))
    flash(ngettext("%(num)d person was added.", "%(num)d people were added.", len(found)))
    return redirect(url_for("membership.people", cid=cid), 303)


@bp.post("/<cid>/people/<any(remove, promote, demote):act>")
def settle(cid: str, act: str) -> Response:
    """Removes a member, makes them an owner, or takes that back."""
    cid, uid = known_cid(cid), parse_id(request.form.get("uid", ""))
    if uid is None:
        raise NotFound("no_member")
    _count()
    verb = {"remove": membership.remove, "promote": membership.promote, "demote": membership.demote}[act]
    verb(db(), config(), g.viewer.uid, cid, uid)
    said = {
        "remove": _("They do not belong to this chat any more."),
        "promote": _("They are an owner now."),
        "demote": _("They are an owner no more."),
    }
    flash(said[act])
    return redirect(url_for("membership.people", cid=cid), 303)


@bp.route("/<cid>/settings", methods=["GET", "POST"])
@takes_pictures(1)
def settings(cid: str) -> View:
    """What a group is called and how it is kept; for owners."""
    cid = known_cid(cid)
    opened = _group(cid, owner=True)
    form = SettingsForm.of(opened.chat)
    if request.method != "POST":
        return _settings_page(opened, form)
    if not form.validate_on_submit():
        return _settings_page(opened, form, 422)
    fields = {name: form[name].data for name in ("name", "topic", "kind", "shared", "keep")}
    try:
        _count()
        if form.picture.data:
            file, salt = form.picture.data, f"face {opened.chat.created}"
            fields["picture"] = media.save_in_chat(config(), cid, file.stream, file.mimetype, salt, face=True)[0]
        elif form.remove_picture.data:
            fields["picture"] = ""
        membership.change(db(), config(), g.viewer.uid, cid, **fields)
    except media.BadPicture as bad:
        form.picture.errors = [str(bad.sentence)]
        return _settings_page(opened, form, 422)
    except RateLimited as refusal:
        form.name.errors = [str(refusal.sentence)]
        return _settings_page(opened, form, refusal.status, retry_headers(refusal))
    flash(_("The settings are saved."))
    return redirect(back_to(cid), 303)


@bp.post("/<cid>/delete")
def destroy(cid: str) -> Response:
    """Deletes a group and everything in it."""
    cid = known_cid(cid)
    _count()
    membership.destroy(db(), config(), g.viewer.uid, cid)
    flash(_("The group is deleted, with everything in it."))
    return redirect(url_for("chats.index"), 303)


@bp.post("/<cid>/leave")
def leave(cid: str) -> Response:
    """Leaves a group."""
    cid = known_cid(cid)
    if is_direct(cid):
        raise Forbidden("not_a_group", _("A direct chat cannot be left. Archive it, or block the other one."))
    _count()
    with suppress(NotFound):  # who is in no such chat has left it, whether there is one or not
        membership.leave(db(), config(), g.viewer.uid, cid)
    flash(_("You have left the group."))
    return redirect(url_for("chats.index"), 303)


@bp.post("/<cid>/invites")
def invite(cid: str) -> View:
    """Makes a link by which others come; it is shown in the answer, and never again."""
    cid, form = known_cid(cid), InviteForm()
    if not form.validate_on_submit():
        return _people_page(cid, invite=form, status=422)
    try:
        _count()
        token = invites.make(db(), config(), g.viewer.uid, cid, form.uses.data, form.hours.data)
    except (Forbidden, NotFound):
        raise
    except Refused as refusal:
        form.uses.errors = [str(refusal.sentence)]
        return _people_page(cid, invite=form, status=refusal.status, headers=retry_headers(refusal))
    made = url_for("membership.join", token=token, _external=True)
    return _people_page(cid, made=made, status=201)


@bp.post("/<cid>/invites/<sha>/revoke")
def revoke(cid: str, sha: str) -> Response:
    """Ends an invitation."""
    cid = known_cid(cid)
    invites.revoke(db(), g.viewer.uid, cid, sha)
    flash(_("The link leads nowhere any more."))
    return redirect(url_for("membership.people", cid=cid), 303)


@bp.route("/join/<token>", methods=["GET", "POST"])
def join(token: str) -> View:
    """Comes to a group by a link."""
    if request.method != "POST":
        chat = invites.peek(db(), token)
        return render_template("chats/join.html", chat=chat, action=url_for("membership.join", token=token))
    return _join(*invites.split(token))


@bp.post("/<cid>/join")
def join_open(cid: str) -> Response:
    """Joins an open group."""
    return _join(known_cid(cid))


def _join(cid: str, secret: str = "") -> Response:
    _count()
    membership.join(db(), config(), g.viewer.uid, cid, secret)
    if marks.waits(db(), g.viewer.uid, cid):  # who was asked has answered
        marks.answer(db(), config(), g.viewer.uid, cid, "accept")
    return redirect(back_to(cid), 303)


def _named(form: PeopleForm) -> list[int] | None:
    """The ids of those a form names, without oneself; None, with the form saying so, when one is nobody."""
    found = find_all(db(), form.logins)
    missing = [login for login in form.logins if login not in found]
    if missing:
        names = ", ".join(f"@{login}" for login in missing)
        form.people.errors = [_("There is nobody of that name: %(names)s", names=names)]
        return None
    return [member.uid for member in found.values() if member.uid != g.viewer.uid]


def _group(cid: str, owner: bool = False) -> Opened:
    """A group that one belongs to. Raises NotFound, Forbidden."""
    opened = reading.opened(db(), g.viewer.uid, cid, size=1)
    if opened.chat.kind == "direct":
        raise NotFound("no_chat")
    if owner and not opened.owner:
        raise Forbidden("only_owners")
    return opened


def _people_page(
    cid: str,
    form: PeopleForm | None = None,
    invite: InviteForm | None = None,
    made: str = "",
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> View:
    opened = _group(cid)
    found = membership.members(db(), cid)
    page = render_template(
        "chats/people.html",
        chat=opened.chat,
        owner=opened.owner,
        may_invite=opened.owner or opened.chat.kind != "announcement",
        people=sorted(found, key=lambda one: not one.owner),
        owners=sum(one.owner for one in found),
        form=form or PeopleForm(),
        invite=invite or InviteForm(),
        invites=invites.listed(db(), cid),
        made=made,
    )
    return page, status, headers or {}


def _settings_page(
    opened: Opened, form: SettingsForm, status: int = 200, headers: dict[str, str] | None = None
) -> View:
    return render_template("chats/settings.html", chat=opened.chat, form=form), status, headers or {}


def _count(group: bool = False) -> None:
    act, rate = ("group", config().limit_group) if group else ("chat", config().limit_chat)
    limits.take(db(), (act, str(g.viewer.uid), rate))

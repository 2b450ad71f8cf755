"""Groups: making one, who belongs to it, what owners may change, invitations, coming and going."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response

from webapp.accounts.store import find_members
from webapp.chat.forms import GroupForm, InviteForm, PeopleForm, SettingsForm
from webapp.chat.inbox import chat_state
from webapp.chat.messages import reading
from webapp.chat.messages.reading import ChatPage
from webapp.chat.page import ViewResponse, chat_url, cid_or_404, handle_forbidden, retry_headers
from webapp.chat.store import Draft, is_direct
from webapp.core.media import storage as media
from webapp.core.media.images import BadPicture
from webapp.core.store.ids import parse_id
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.view_options import accepts_uploads
from webapp.errors import Forbidden, NotFound, RateLimited, Refused

from . import invitations, membership

bp = Blueprint("membership", __name__, url_prefix="/chats")
bp.register_error_handler(Forbidden, handle_forbidden)


@bp.route("/new", methods=["GET", "POST"])
def new() -> ViewResponse:
    """A new group, with its first members and its first message."""
    form = GroupForm(people=request.args.get("with", ""))
    if request.method != "POST":
        return render_template("chat/new.html", form=form)
    try:
        if not form.validate_on_submit():
            return render_template("chat/new.html", form=form), 422
        _consume_limit(group=True)
        if (member_uids := _uids_of_logins(form)) is None:
            return render_template("chat/new.html", form=form), 422
        cid = membership.create(
            db(),
            config(),
            g.viewer.uid,
            form.kind.data,
            form.name.data,
            member_uids,
            Draft(form.parsed.text, form.parsed.entities) if form.parsed.text else None,
            form.key.data,
            form.topic.data,
            form.shared.data,
        )
    except Refused as refusal:
        form.people.errors = [str(refusal.sentence)]
        return render_template("chat/new.html", form=form), refusal.status, retry_headers(refusal)
    return redirect(url_for("chats.show", cid=cid), 303)


@bp.get("/<cid>/people")
def people(cid: str) -> ViewResponse:
    """Who belongs to a chat."""
    return _people_page(cid_or_404(cid))


@bp.post("/<cid>/people/add")
def add(cid: str) -> ViewResponse:
    """Brings others in."""
    cid, form = cid_or_404(cid), PeopleForm()
    try:
        if not form.validate_on_submit():
            return _people_page(cid, form, status=422)
        _consume_limit(group=True)
        if (member_uids := _uids_of_logins(form)) is None:
            return _people_page(cid, form, status=422)
        membership.add(db(), config(), g.viewer.uid, cid, member_uids)
    except Refused as refusal:
        blocked = refusal.code == "cannot_write_them"
        if isinstance(refusal, Forbidden | NotFound) and not blocked:
            raise
        form.people.errors = [
            str(_("One of them cannot be added by you.") if blocked else refusal.sentence)
        ]
        return _people_page(cid, form, status=refusal.status, headers=retry_headers(refusal))
    flash(ngettext("%(num)d person was added.", "%(num)d people were added.", len(member_uids)))
    return redirect(url_for("membership.people", cid=cid), 303)


@bp.post("/<cid>/people/<any(remove, promote, demote):act>")
def update_member(cid: str, act: str) -> Response:
    """Removes a member, makes them an owner, or takes that back."""
    cid, uid = cid_or_404(cid), parse_id(request.form.get("uid", ""))
    if uid is None:
        raise NotFound("no_member")
    _consume_limit()
    action = {
        "remove": membership.remove,
        "promote": membership.promote,
        "demote": membership.demote,
    }[act]
    action(db(), config(), g.viewer.uid, cid, uid)
    messages = {
        "remove": _("They do not belong to this chat any more."),
        "promote": _("They are an owner now."),
        "demote": _("They are an owner no more."),
    }
    flash(messages[act])
    return redirect(url_for("membership.people", cid=cid), 303)


@bp.route("/<cid>/settings", methods=["GET", "POST"])
@accepts_uploads(1)
def settings(cid: str) -> ViewResponse:
    """What a group is called and how it is kept; for owners."""
    cid = cid_or_404(cid)
    chat_page = _load_group(cid, require_owner=True)
    form = SettingsForm.from_chat(chat_page.chat)
    if request.method != "POST":
        return _settings_page(chat_page, form)
    if not form.validate_on_submit():
        return _settings_page(chat_page, form, 422)
    fields = {name: form[name].data for name in ("name", "topic", "kind", "shared", "keep")}
    try:
        _consume_limit()
        if form.picture.data:
            file, salt = form.picture.data, f"face {chat_page.chat.created}"
            fields["picture"] = media.save_in_chat(
                config(), cid, file.stream, file.mimetype, salt, is_avatar=True
            )[0]
        elif form.remove_picture.data:
            fields["picture"] = ""
        membership.change(db(), config(), g.viewer.uid, cid, **fields)
    except BadPicture as bad:
        form.picture.errors = [str(bad.sentence)]
        return _settings_page(chat_page, form, 422)
    except RateLimited as refusal:
        form.name.errors = [str(refusal.sentence)]
        return _settings_page(chat_page, form, refusal.status, retry_headers(refusal))
    flash(_("The settings are saved."))
    return redirect(chat_url(cid), 303)


@bp.post("/<cid>/delete")
def destroy(cid: str) -> Response:
    """Deletes a group and everything in it."""
    cid = cid_or_404(cid)
    _consume_limit()
    membership.destroy(db(), config(), g.viewer.uid, cid)
    flash(_("The group is deleted, with everything in it."))
    return redirect(url_for("chats.index"), 303)


@bp.post("/<cid>/leave")
def leave(cid: str) -> Response:
    """Leaves a group."""
    cid = cid_or_404(cid)
    if is_direct(cid):
        raise Forbidden(
            "not_a_group", _("A direct chat cannot be left. Archive it, or block the other one.")
        )
    _consume_limit()
    with suppress(NotFound):  # who is in no such chat has left it, whether there is one or not
        membership.leave(db(), config(), g.viewer.uid, cid)
    flash(_("You have left the group."))
    return redirect(url_for("chats.index"), 303)


@bp.post("/<cid>/invites")
def invite(cid: str) -> ViewResponse:
    """Makes a link by which others come; it is shown in the answer, and never again."""
    cid, form = cid_or_404(cid), InviteForm()
    if not form.validate_on_submit():
        return _people_page(cid, invite_form=form, status=422)
    try:
        _consume_limit()
        token = invitations.create(
            db(), config(), g.viewer.uid, cid, form.uses.data, form.hours.data
        )
    except (Forbidden, NotFound):
        raise
    except Refused as refusal:
        form.uses.errors = [str(refusal.sentence)]
        return _people_page(
            cid, invite_form=form, status=refusal.status, headers=retry_headers(refusal)
        )
    invite_url = url_for("membership.join", token=token, _external=True)
    return _people_page(cid, invite_url=invite_url, status=201)


@bp.post("/<cid>/invites/<sha>/revoke")
def revoke(cid: str, sha: str) -> Response:
    """Ends an invitation."""
    cid = cid_or_404(cid)
    invitations.revoke(db(), g.viewer.uid, cid, sha)
    flash(_("The link leads nowhere any more."))
    return redirect(url_for("membership.people", cid=cid), 303)


@bp.route("/join/<token>", methods=["GET", "POST"])
def join(token: str) -> ViewResponse:
    """Comes to a group by a link."""
    if request.method != "POST":
        chat = invitations.chat_for_token(db(), token)
        return render_template(
            "chat/members/join.html", chat=chat, action=url_for("membership.join", token=token)
        )
    return _join(*invitations.parse_token(token))


@bp.post("/<cid>/join")
def join_open(cid: str) -> Response:
    """Joins an open group."""
    return _join(cid_or_404(cid))


def _join(cid: str, secret: str = "") -> Response:
    _consume_limit()
    membership.join(db(), config(), g.viewer.uid, cid, secret)
    if chat_state.is_pending(db(), g.viewer.uid, cid):  # who was asked has answered
        chat_state.answer_request(db(), config(), g.viewer.uid, cid, "accept")
    return redirect(chat_url(cid), 303)


def _uids_of_logins(form: PeopleForm) -> list[int] | None:
    """The ids of those a form names, without oneself; None, with the form saying so, when one is nobody."""
    members = find_members(db(), form.logins)
    missing = [login for login in form.logins if login not in members]
    if missing:
        names = ", ".join(f"@{login}" for login in missing)
        form.people.errors = [_("There is nobody of that name: %(names)s", names=names)]
        return None
    return [member.uid for member in members.values() if member.uid != g.viewer.uid]


def _load_group(cid: str, require_owner: bool = False) -> ChatPage:
    """A group that one belongs to. Raises NotFound, Forbidden."""
    chat_page = reading.open_page(db(), g.viewer.uid, cid, size=1)
    if chat_page.chat.kind == "direct":
        raise NotFound("no_chat")
    if require_owner and not chat_page.is_owner:
        raise Forbidden("only_owners")
    return chat_page


def _people_page(
    cid: str,
    form: PeopleForm | None = None,
    invite_form: InviteForm | None = None,
    invite_url: str = "",
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> ViewResponse:
    chat_page = _load_group(cid)
    members = membership.list_members(db(), cid)
    html = render_template(
        "chat/members/index.html",
        chat=chat_page.chat,
        is_owner=chat_page.is_owner,
        may_invite=chat_page.is_owner or chat_page.chat.kind != "announcement",
        memberships=sorted(members, key=lambda one: not one.is_owner),
        owner_count=sum(one.is_owner for one in members),
        form=form or PeopleForm(),
        invite_form=invite_form or InviteForm(),
        invites=invitations.list_active(db(), cid),
        new_link=invite_url,
    )
    return html, status, headers or {}


def _settings_page(
    chat_page: ChatPage,
    form: SettingsForm,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> ViewResponse:
    return (
        render_template("chat/settings.html", chat=chat_page.chat, form=form),
        status,
        headers or {},
    )


def _consume_limit(group: bool = False) -> None:
    action, rate = ("group", config().limit_group) if group else ("chat", config().limit_chat)
    rate_limits.consume(db(), (action, str(g.viewer.uid), rate))

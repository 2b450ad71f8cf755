"""Lists: one's own, what each shows, and who is on it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.store import get_by_login, uid_by_login
from webapp.core.live.live_updates import stream_for_timeline
from webapp.core.store.reads import Read
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.security import no_store_page
from webapp.core.web.view_options import public as open_to_all
from webapp.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.filters.apply import without_filtered

from . import reading, store
from .forms import NUMBER_PATTERN, AddMemberForm, ListForm, submitted_memberships

bp = Blueprint("lists", __name__)
ViewResponse = FlaskResponse | Response | str


@bp.get("/lists")
def index() -> ViewResponse:
    """One's own lists, and a form for another."""
    return _render_index(ListForm())


@bp.post("/lists")
def create() -> ViewResponse:
    """Makes a list; the next thing is who is on it."""
    form = ListForm()
    if form.validate_on_submit():
        _consume_follow_limit()
        values = (form.name.data, form.private.data, form.exclusive.data)
        try:
            number = store.create(db(), config(), g.viewer.uid, *values)
        except Conflict as refusal:
            form.name.errors = [str(refusal.sentence)]
            return _render_index(form, refusal.status)
        flash(_("The list is made. Now add who belongs on it."))
        return _redirect_to_members(number)
    return _render_index(form, 422)


@bp.get("/lists/<number>/edit")
def edit(number: str) -> ViewResponse:
    """What a list of one's own is, to be changed."""
    list_ = store.get(db(), g.viewer.uid, _parse_or_404(number))
    values = {"name": list_.name, "private": list_.private, "exclusive": list_.exclusive}
    return no_store_page(
        render_template("lists/edit.html", list=list_, form=ListForm(formdata=None, data=values))
    )


@bp.post("/lists/<number>/edit")
def change(number: str) -> ViewResponse:
    """Changes it."""
    form, list_number, status = ListForm(), _parse_or_404(number), 422
    list_ = store.get(db(), g.viewer.uid, list_number)
    if form.validate_on_submit():
        _consume_follow_limit()
        values = (form.name.data, form.private.data, form.exclusive.data)
        try:
            store.change(db(), config(), g.viewer.uid, list_number, *values)
        except Conflict as refusal:
            form.name.errors, status = [str(refusal.sentence)], refusal.status
        else:
            flash(_("The list is changed."))
            return redirect(url_for("lists.show", login=g.viewer.login, number=list_number), 303)
    return no_store_page(render_template("lists/edit.html", list=list_, form=form), status)


@bp.post("/lists/<number>/delete")
@bp.delete("/lists/<number>", endpoint="remove")
def delete(number: str) -> Response:
    """Deletes a list of one's own."""
    store.delete(db(), config(), g.viewer.uid, _parse_or_404(number))
    flash(_("The list is deleted."))
    return redirect(url_for("lists.index"), 303)


def _owner(_: Requester, login: str, **_arguments: str) -> Read[int]:
    return uid_by_login(login)


@bp.get("/@<login>/lists")
@open_to_all
@prefetch(_owner)
@cached()
def public(owner: int, login: str) -> ViewResponse:
    """The lists of a member that are not private."""
    public_lists = store.public_lists(db(), owner, g.viewer.uid if g.viewer else None)
    if public_lists.owner.login != login:
        return redirect(url_for("lists.public", login=public_lists.owner.login), 301)
    depends_on_members([owner])
    is_own = g.viewer is not None and g.viewer.uid == owner
    return render_template(
        "lists/public.html", public_lists=public_lists, owner=public_lists.owner, own=is_own
    )


@bp.get("/@<login>/lists/<number>")
@open_to_all
@prefetch(_owner)
def show(owner: int, login: str, number: str) -> ViewResponse:
    """What those on a list write."""
    viewer_uid = g.viewer.uid if g.viewer else None
    list_, owner_member, page = reading.load_timeline(
        db(), config(), owner, _parse_or_404(number), viewer_uid, cursor()
    )
    if owner_member.login != login:
        return redirect(
            url_for("lists.show", login=owner_member.login, number=number, max_id=cursor()), 301
        )
    page = without_filtered(
        page, "home"
    )  # where filters look that are for what one reads every day
    stream = stream_for_timeline(f"list/{owner_member.uid}/{list_.number}", page.position)
    return render_template(
        "lists/show.html",
        list=list_,
        owner=owner_member,
        page=page,
        feed=stream,
        own=viewer_uid == owner_member.uid,
    )


@bp.get("/@<login>/lists/<number>/members")
@open_to_all
def members(login: str, number: str) -> ViewResponse:
    """Who is on a list."""
    return _render_members(
        db().read(uid_by_login(login)), _parse_or_404(number), AddMemberForm(), login
    )


@bp.post("/lists/<number>/members")
def add_member(number: str) -> ViewResponse:
    """Puts somebody on a list, by name."""
    form, list_number, status = AddMemberForm(), _parse_or_404(number), 422
    if form.validate_on_submit():
        _consume_follow_limit()
        try:
            member = store.set_memberships(
                db(), config(), g.viewer.uid, form.login.data, {list_number: True}
            )
        except (Conflict, Forbidden, Invalid, NotFound) as refusal:
            if refusal.code == "no_list":
                raise
            form.login.errors, status = [str(refusal.sentence)], refusal.status
        else:
            flash(_("@%(login)s is on the list.", login=member.login))
            return _redirect_to_members(list_number)
    return _render_members(g.viewer.uid, list_number, form, status=status)


@bp.post("/lists/<number>/members/<login>/remove")
@bp.delete("/lists/<number>/members/<login>", endpoint="unlist")
def remove_member(number: str, login: str) -> Response:
    """Takes somebody off a list."""
    list_number = _parse_or_404(number)
    _consume_follow_limit()
    member = store.set_memberships(db(), config(), g.viewer.uid, login, {list_number: False})
    flash(_("@%(login)s is off the list.", login=member.login))
    return _redirect_to_members(list_number)


@bp.get("/@<login>/lists/add")
def choose_lists(login: str) -> ViewResponse:
    """One's own lists, to put a member on some of them."""
    member = get_by_login(db(), login)
    if member.uid == g.viewer.uid:
        raise Invalid("list_yourself")
    owned_lists = store.owned(db(), g.viewer.uid, member.uid)
    return no_store_page(
        render_template("lists/memberships.html", member=member, lists=owned_lists)
    )


@bp.post("/@<login>/lists/add")
def set_memberships(login: str) -> Response:
    """Puts a member on the lists that are ticked, and takes them off the others."""
    _consume_follow_limit()
    member = store.set_memberships(db(), config(), g.viewer.uid, login, submitted_memberships())
    flash(_("Your lists are changed."))
    return redirect(url_for("timelines.profile", login=member.login), 303)


def _render_index(form: ListForm, status: int = 200) -> ViewResponse:
    owned_lists = store.owned(db(), g.viewer.uid)
    return no_store_page(
        render_template(
            "lists/index.html", lists=owned_lists, form=form, lists_max=config().lists_max
        ),
        status,
    )


def _render_members(
    owner: int, number: int, form: AddMemberForm, login: str = "", status: int = 200
) -> ViewResponse:
    viewer_uid = g.viewer.uid if g.viewer else None
    before = cursor()
    list_, owner_member, page = store.members_page(
        db(), owner, number, viewer_uid, before, config().page_size
    )
    if login and owner_member.login != login:
        return redirect(
            url_for("lists.members", login=owner_member.login, number=number, max_id=before), 301
        )
    context: dict[str, Any] = {
        "list": list_,
        "owner": owner_member,
        "page": page,
        "form": form,
        "own": viewer_uid == owner_member.uid,
    }
    response = FlaskResponse(
        render_template("lists/members.html", members_max=config().list_members_max, **context)
    )
    response.status_code = status
    return response


def _parse_or_404(number: str) -> int:
    if not NUMBER_PATTERN.match(number):
        raise NotFound("no_list")
    return int(number)


def _redirect_to_members(number: int) -> Response:
    return redirect(url_for("lists.members", login=g.viewer.login, number=number), 303)


def _consume_follow_limit() -> None:
    rate_limits.consume(db(), ("follow", str(g.viewer.uid), config().limit_follow))

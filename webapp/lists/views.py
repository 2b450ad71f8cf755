"""Lists: one's own, what each shows, and who is on it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..accounts.store import find, find_uid, uid_command, uid_from
from ..app import config, db
from ..db import Command
from ..errors import Conflict, Forbidden, Invalid, NotFound
from ..live import listening
from ..paging import cursor
from ..security import beside, unkept
from ..security import public as open_to_all
from ..statuses.sieving import sieved
from ..visitors import cached, shows
from . import reading, store
from .forms import NUMBER, ListForm, PersonForm, chosen

bp = Blueprint("lists", __name__)
Answer = FlaskResponse | Response | str


@bp.get("/lists")
def index() -> Answer:
    """One's own lists, and a form for another."""
    return _index(ListForm())


@bp.post("/lists")
def make() -> Answer:
    """Makes a list; the next thing is who is on it."""
    form = ListForm()
    if form.validate_on_submit():
        _count()
        told = (form.name.data, form.private.data, form.exclusive.data)
        try:
            number = store.make(db(), config(), g.viewer.uid, *told)
        except Conflict as refusal:
            form.name.errors = [str(refusal.sentence)]
            return _index(form, refusal.status)
        flash(_("The list is made. Now add who belongs on it."))
        return _to_members(number)
    return _index(form, 422)


@bp.get("/lists/<number>/edit")
def edit(number: str) -> Answer:
    """What a list of one's own is, to be changed."""
    one = store.get(db(), g.viewer.uid, _known(number))
    told = {"name": one.name, "private": one.private, "exclusive": one.exclusive}
    return unkept(render_template("lists/edit.html", list=one, form=ListForm(formdata=None, data=told)))


@bp.post("/lists/<number>/edit")
def change(number: str) -> Answer:
    """Changes it."""
    form, at, status = ListForm(), _known(number), 422
    one = store.get(db(), g.viewer.uid, at)
    if form.validate_on_submit():
        _count()
        told = (form.name.data, form.private.data, form.exclusive.data)
        try:
            store.change(db(), config(), g.viewer.uid, at, *told)
        except Conflict as refusal:
            form.name.errors, status = [str(refusal.sentence)], refusal.status
        else:
            flash(_("The list is changed."))
            return redirect(url_for("lists.show", login=g.viewer.login, number=at), 303)
    return unkept(render_template("lists/edit.html", list=one, form=form), status)


@bp.post("/lists/<number>/delete")
@bp.delete("/lists/<number>", endpoint="remove")
def delete(number: str) -> Response:
    """Deletes a list of one's own."""
    store.drop(db(), config(), g.viewer.uid, _known(number))
    flash(_("The list is deleted."))
    return redirect(url_for("lists.index"), 303)


def _owner_command(uid: int, session: str) -> Command:
    return uid_command((request.view_args or {})["login"])


@bp.get("/@<login>/lists")
@open_to_all
@beside(_owner_command)
@cached()
def public(login: str) -> Answer:
    """The lists of a member that are not private."""
    owner = uid_from(g.session.beside[-1]) if g.session else find_uid(db(), login)
    shown = store.public(db(), owner, g.viewer.uid if g.viewer else None)
    if shown.by.login != login:
        return redirect(url_for("lists.public", login=shown.by.login), 301)
    shows([owner])
    own = g.viewer is not None and g.viewer.uid == owner
    return render_template("lists/public.html", shown=shown, by=shown.by, own=own)


@bp.get("/@<login>/lists/<number>")
@open_to_all
@beside(_owner_command)
def show(login: str, number: str) -> Answer:
    """What those on a list write."""
    reader = g.viewer.uid if g.viewer else None
    owner = uid_from(g.session.beside[-1]) if g.session else find_uid(db(), login)
    one, by, page = reading.timeline(db(), config(), owner, _known(number), reader, cursor())
    if by.login != login:
        return redirect(url_for("lists.show", login=by.login, number=number, max_id=cursor()), 301)
    page = sieved(page, "home")  # where filters look that are for what one reads every day
    feed = listening(f"list/{by.uid}/{one.number}", page.position)
    return render_template("lists/show.html", list=one, by=by, page=page, feed=feed, own=reader == by.uid)


@bp.get("/@<login>/lists/<number>/members")
@open_to_all
def members(login: str, number: str) -> Answer:
    """Who is on a list."""
    return _members(find_uid(db(), login), _known(number), PersonForm(), login)


@bp.post("/lists/<number>/members")
def enlist(number: str) -> Answer:
    """Puts somebody on a list, by name."""
    form, at, status = PersonForm(), _known(number), 422
    if form.validate_on_submit():
        _count()
        try:
            member = store.enlist(db(), config(), g.viewer.uid, form.login.data, {at: True})
        except (Conflict, Forbidden, Invalid, NotFound) as refusal:
            if refusal.code == "no_list":
                raise
            form.login.errors, status = [str(refusal.sentence)], refusal.status
        else:
            flash(_("@%(login)s is on the list.", login=member.login))
            return _to_members(at)
    return _members(g.viewer.uid, at, form, status=status)


@bp.post("/lists/<number>/members/<login>/remove")
@bp.delete("/lists/<number>/members/<login>", endpoint="unlist")
def take_off(number: str, login: str) -> Response:
    """Takes somebody off a list."""
    at = _known(number)
    _count()
    member = store.enlist(db(), config(), g.viewer.uid, login, {at: False})
    flash(_("@%(login)s is off the list.", login=member.login))
    return _to_members(at)


@bp.get("/@<login>/lists/add")
def choose(login: str) -> Answer:
    """One's own lists, to put a member on some of them."""
    member = find(db(), login)
    if member.uid == g.viewer.uid:
        raise Invalid("list_yourself")
    mine = store.mine(db(), g.viewer.uid, member.uid)
    return unkept(render_template("lists/choose.html", member=member, lists=mine))


@bp.post("/@<login>/lists/add")
def assign(login: str) -> Response:
    """Puts a member on the lists that are ticked, and takes them off the others."""
    _count()
    member = store.enlist(db(), config(), g.viewer.uid, login, chosen())
    flash(_("Your lists are changed."))
    return redirect(url_for("timelines.profile", login=member.login), 303)


def _index(form: ListForm, status: int = 200) -> Answer:
    mine = store.mine(db(), g.viewer.uid)
    return unkept(render_template("lists/index.html", lists=mine, form=form, most=config().lists_max), status)


def _members(owner: int, number: int, form: PersonForm, login: str = "", status: int = 200) -> Answer:
    reader = g.viewer.uid if g.viewer else None
    before = cursor()
    one, by, page = store.members(db(), owner, number, reader, before, config().page_size)
    if login and by.login != login:
        return redirect(url_for("lists.members", login=by.login, number=number, max_id=before), 301)
    told: dict[str, Any] = {"list": one, "by": by, "page": page, "form": form, "own": reader == by.uid}
    answer = FlaskResponse(render_template("lists/members.html", most=config().list_members_max, **told))
    answer.status_code = status
    return answer


def _known(number: str) -> int:
    if not NUMBER.match(number):
        raise NotFound("no_list")
    return int(number)


def _to_members(number: int) -> Response:
    return redirect(url_for("lists.members", login=g.viewer.login, number=number), 303)


def _count() -> None:
    limits.take(db(), ("follow", str(g.viewer.uid), config().limit_follow))

"""Editing and pinning one's own status, and what a status said before."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..app import config, db
from ..errors import Conflict, Forbidden, NotFound, RateLimited, Unavailable
from ..ids import parse_id
from ..security import back, public
from ..visitors import cached, shows
from . import editing, pins, store
from .forms import EditForm
from .status import Status

bp = Blueprint("edits", __name__)


@bp.get("/@<login>/<status_id>/edit")
def edit(login: str, status_id: str) -> FlaskResponse:
    """The words of one's own status, to be changed."""
    status = _own(login, status_id)
    if status.id < editing.editable_since(config()):
        raise Conflict("edit_late")
    form = EditForm(formdata=None, text=status.text, cw=status.cw, version=status.version)
    return FlaskResponse(_page(form, status, None), headers={"Cache-Control": "no-store"})


@bp.post("/@<login>/<status_id>/edit")
def save(login: str, status_id: str) -> Response | tuple[str, int]:
    """Saves them; what cannot be saved comes back as it was written, with the reason, and what the status says now."""
    status, form = _own(login, status_id), EditForm()
    if not form.validate_on_submit():
        return _page(form, status, None), 422
    try:
        limits.take(db(), ("revise", str(g.viewer.uid), config().limit_post))
        written = (form.parsed, form.cw.data, form.version.data or "")
        if editing.revise(db(), config(), g.viewer.uid, status.id, *written):
            flash(_("Your post is changed."))
    except (Conflict, RateLimited, Unavailable) as refusal:
        form.text.errors = [str(refusal.sentence)]
        now = None
        if refusal.code == "edited_meanwhile":  # saved once more, it goes over what is shown here
            now = store.get(db(), status.id, g.viewer.uid)
            form.version.data = now.version
        return _page(form, status, now), refusal.status
    return redirect(url_for("statuses.show", login=g.viewer.login, status_id=status.id), 303)


@bp.get("/@<login>/<status_id>/history")
@public
@cached()
def history(login: str, status_id: str) -> str | Response:
    """All that a status ever said."""
    found = editing.history(db(), _number(status_id), g.viewer.uid if g.viewer else None)
    author = found.status.author
    _check_author(found.status, login)
    if author.login != login:
        return redirect(url_for("edits.history", login=author.login, status_id=status_id), 301)
    shows([author.uid])
    return render_template("statuses/history.html", author=author, history=found)


def _own(login: str, status_id: str) -> Status:
    status = store.get(db(), _number(status_id), g.viewer.uid)
    _check_author(status, login)
    if status.author.uid != g.viewer.uid:
        raise Forbidden("not_yours")
    return status


@bp.post("/statuses/<status_id>/pin")
def pin(status_id: str) -> Response:
    """Pins one's own status to one's profile."""
    pins.pin(db(), config(), g.viewer.uid, _act(status_id))
    flash(_("It is pinned to the top of your profile."))
    return _back()


@bp.post("/statuses/<status_id>/unpin")
@bp.delete("/statuses/<status_id>/pin", endpoint="remove_pin")
def unpin(status_id: str) -> Response:
    """Takes the pin away."""
    pins.unpin(db(), config(), g.viewer.uid, _act(status_id))
    flash(_("It is not pinned any more."))
    return _back()


def _act(status_id: str) -> int:
    limits.take(db(), ("pin", str(g.viewer.uid), config().limit_like))
    return _number(status_id)


def _back() -> Response:
    return back(url_for("timelines.profile", login=g.viewer.login))


def _page(form: EditForm, status: Status, now: Status | None) -> str:
    return render_template("statuses/edit.html", form=form, status=status, now=now)


def _check_author(status: Status, login: str) -> None:
    if status.author.login.lower() != login.lower():
        raise NotFound("no_status")


def _number(status_id: str) -> int:
    number = parse_id(status_id)
    if number is None:
        abort(404)
    return number

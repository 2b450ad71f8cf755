"""Editing and pinning one's own status, and what a status said before."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.store.ids import parse_id
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.redirects import redirect_back
from webapp.core.web.view_options import public
from webapp.errors import Conflict, Forbidden, NotFound, RateLimited, Unavailable
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses import store
from webapp.statuses.forms import EditForm
from webapp.statuses.status import Status

from . import editing, pins

bp = Blueprint("edits", __name__)


@bp.get("/@<login>/<status_id>/edit")
def edit(login: str, status_id: str) -> FlaskResponse:
    """The words of one's own status, to be changed."""
    status = _load_own(login, status_id)
    if status.id < editing.min_editable_id(config()):
        raise Conflict("edit_late")
    form = EditForm(formdata=None, text=status.text, cw=status.cw, version=status.version)
    return FlaskResponse(_render_form(form, status, None), headers={"Cache-Control": "no-store"})


@bp.post("/@<login>/<status_id>/edit")
def save(login: str, status_id: str) -> Response | tuple[str, int]:
    """Saves them; what cannot be saved comes back as it was written, with the reason, and what the status says now."""
    status, form = _load_own(login, status_id), EditForm()
    if not form.validate_on_submit():
        return _render_form(form, status, None), 422
    try:
        rate_limits.consume(db(), ("revise", str(g.viewer.uid), config().limit_post))
        changes = (form.parsed, form.cw.data, form.version.data or "")
        if editing.edit(db(), config(), g.viewer.uid, status.id, *changes):
            flash(_("Your post is changed."))
    except (Conflict, RateLimited, Unavailable) as refusal:
        form.text.errors = [str(refusal.sentence)]
        current = None
        if refusal.code == "edited_meanwhile":  # saved once more, it goes over what is shown here
            current = store.get(db(), status.id, g.viewer.uid)
            form.version.data = current.version
        return _render_form(form, status, current), refusal.status
    return redirect(url_for("statuses.show", login=g.viewer.login, status_id=status.id), 303)


@bp.get("/@<login>/<status_id>/history")
@public
@cached()
def history(login: str, status_id: str) -> str | Response:
    """All that a status ever said."""
    edit_history = editing.history(
        db(), _parse_id_or_404(status_id), g.viewer.uid if g.viewer else None
    )
    author = edit_history.status.author
    _require_author(edit_history.status, login)
    if author.login != login:
        return redirect(url_for("edits.history", login=author.login, status_id=status_id), 301)
    depends_on_members([author.uid])
    return render_template("statuses/edits/history.html", author=author, history=edit_history)


def _load_own(login: str, status_id: str) -> Status:
    status = store.get(db(), _parse_id_or_404(status_id), g.viewer.uid)
    _require_author(status, login)
    if status.author.uid != g.viewer.uid:
        raise Forbidden("not_yours")
    return status


@bp.post("/statuses/<status_id>/pin")
def pin(status_id: str) -> Response:
    """Pins one's own status to one's profile."""
    pins.pin(db(), config(), g.viewer.uid, _consume_limit_and_parse(status_id))
    flash(_("It is pinned to the top of your profile."))
    return _redirect_to_profile()


@bp.post("/statuses/<status_id>/unpin")
@bp.delete("/statuses/<status_id>/pin", endpoint="remove_pin")
def unpin(status_id: str) -> Response:
    """Takes the pin away."""
    pins.unpin(db(), config(), g.viewer.uid, _consume_limit_and_parse(status_id))
    flash(_("It is not pinned any more."))
    return _redirect_to_profile()


def _consume_limit_and_parse(status_id: str) -> int:
    rate_limits.consume(db(), ("pin", str(g.viewer.uid), config().limit_like))
    return _parse_id_or_404(status_id)


def _redirect_to_profile() -> Response:
    return redirect_back(url_for("timelines.profile", login=g.viewer.login))


def _render_form(form: EditForm, status: Status, current: Status | None) -> str:
    return render_template("statuses/edits/edit.html", form=form, status=status, current=current)


def _require_author(status: Status, login: str) -> None:
    if status.author.login.lower() != login.lower():
        raise NotFound("no_status")


def _parse_id_or_404(status_id: str) -> int:
    parsed_id = parse_id(status_id)
    if parsed_id is None:
        abort(404)
    return parsed_id

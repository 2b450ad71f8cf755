"""Editing and pinning one's own status, and the history of a status."""

from functools import partial

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response

from webapp.core.errors import Conflict, Forbidden, RateLimited, Unavailable
from webapp.core.web import consume_for_viewer, db, no_store_page, redirect_back, site, viewer_uid
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses import store
from webapp.statuses.interactions.buttons import declare_button
from webapp.statuses.permalinks import canonical_redirect, require_author
from webapp.statuses.status import Status

from . import editing, pins
from .differences import compare_versions
from .forms import EditForm

bp = Blueprint("edits", __name__)


@bp.get("/@<login>/<id:status_id>/edit")
def edit(login: str, status_id: int) -> FlaskResponse:
    """Show the form that edits the member's own status."""
    form = EditForm(_load_own(login, status_id))
    if form.is_empty:
        raise Conflict("edit_late")
    return no_store_page(_render_form(form))


@bp.post("/@<login>/<id:status_id>/edit")
def save(login: str, status_id: int) -> Response | tuple[str, int]:
    """Save an edit. If it cannot be, show the form again with the reason."""
    status = _load_own(login, status_id)
    form = EditForm(status)
    if not form.validate_on_submit():
        return _render_form(form), 422
    try:
        consume_for_viewer("post", "revise")
        changes = (form.parsed, form.cw.data, form.version.data or "", form.alt.data)
        flags = (form.remove_place.data, form.sensitive.data if status.pictures else None)
        if editing.edit(site(), g.viewer.uid, status.id, *changes, *flags):
            flash(_("Post saved."))
    except (Conflict, RateLimited, Unavailable) as refusal:
        form.text.errors = [str(refusal.sentence)]
        current = None
        if refusal.code == "edited_meanwhile":  # saved again, it replaces the version shown now
            current = store.get(db(), status.id, g.viewer.uid)
            form.version.data = current.revision
        return _render_form(form, current), refusal.status
    return redirect(url_for("statuses.show", login=g.viewer.login, status_id=status.id), 303)


@bp.get("/@<login>/<id:status_id>/history")
@cached()
def history(login: str, status_id: int) -> str | Response:
    """Show all versions of a status."""
    found = editing.history(db(), status_id, viewer_uid())
    author = found.status.author
    if response := canonical_redirect(author, login):
        return response
    depends_on_members([author.uid])
    return render_template(
        "statuses/edits/history.html",
        author=author,
        status=found.status,
        versions=compare_versions(found.versions),
    )


_declare_pin = partial(
    declare_button,
    bp,
    answer=lambda _id: redirect_back(url_for("timelines.profile", login=g.viewer.login)),
)
_declare_pin("pin", pins.pin, "like", "pin", done=_l("Pinned to your profile."))
_declare_pin("unpin", pins.unpin, "like", "pin", done=_l("Unpinned."), undoes="pin")


def _load_own(login: str, status_id: int) -> Status:
    status = store.get(db(), status_id, g.viewer.uid)
    require_author(status.author, login)
    if status.author.uid != g.viewer.uid:
        raise Forbidden("not_yours")
    return status


def _render_form(form: EditForm, current: Status | None = None) -> str:
    return render_template(
        "statuses/edits/edit.html", form=form, status=form.status, current=current
    )

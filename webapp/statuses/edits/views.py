"""Editing and pinning one's own status, and the history of a status."""

from functools import partial

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _, lazy_gettext as _l
from werkzeug.wrappers import Response

from webapp.core.errors import Conflict, Forbidden, RateLimited, Unavailable
from webapp.core.web import consume_for_viewer, db, private_page, redirect_back, site, viewer_uid
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses import store
from webapp.statuses.interactions.buttons import declare_button
from webapp.statuses.permalinks import canonical_redirect, require_author
from webapp.statuses.status import Status

from . import editing, pins
from .differences import compare_versions
from .forms import EditForm

bp = Blueprint("edits", __name__)


@bp.route("/@<login>/<id:status_id>/edit", methods=["GET", "POST"])
def edit(login: str, status_id: int) -> Response:
    """Show the form that edits the member's own status, and save the edit, or say why not."""
    status, current = _load_own(login, status_id), None
    form = EditForm(status)
    if form.is_empty and not form.is_submitted():
        raise Conflict("edit_late")
    try:
        if form.is_accepted():
            consume_for_viewer("post", "revise")
            changes = (form.parsed, form.cw.data, form.version.data or "", form.alt.data)
            flags = (form.remove_place.data, form.sensitive.data if status.pictures else None)
            if editing.edit(site(), g.viewer.uid, status.id, *changes, *flags):
                flash(_("Post saved."))
            return redirect(
                url_for("statuses.show", login=g.viewer.login, status_id=status.id), 303
            )
    except (Conflict, RateLimited, Unavailable) as refusal:
        form.refuse(refusal, "text")
        if refusal.code == "edited_meanwhile":  # saved again, it replaces the version shown now
            current = store.get(db(), status.id, g.viewer.uid)
            form.version.data = current.revision
    return private_page(
        "statuses/edits/edit.html", form.http_status, form=form, status=status, current=current
    )


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

"""The page of the member's reading history."""

from flask import Blueprint, flash, g, redirect, request, url_for
from flask_babel import gettext as _

from webapp.core.errors import Invalid
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.web import Response, config, cursor, db, no_store, prefetch, rate_limited
from webapp.statuses.listings.scored_ids import ScoredIds

from . import store

bp = Blueprint("reading_history", __name__)
bp.after_request(no_store)  # nobody else sees this page


@bp.get("/history")
@prefetch(lambda requester: store.newest_viewed(requester.uid or 0, cursor(), config().page_size))
def index(found: tuple[bool, ScoredIds]) -> Response:
    """Show the posts that the viewer has opened, last opened first."""
    is_kept, ids = found
    page = store.viewed_page(db(), g.viewer.uid, ids, config().page_size)
    return render_kept("statuses/reading_history/index.html", is_kept=is_kept, page=page)


@bp.post("/history")
@rate_limited("edit")
def choose() -> Response:
    """Switch the history on or off, or clear it."""
    choice = request.form.get("choice", "")
    if choice not in store.CHOICES:
        raise Invalid("choice", _("Choose to switch it on or off, or to clear it."))
    store.choose(db(), g.viewer.uid, choice)
    if choice == "off":
        flash(_("Switched off. The posts you opened were forgotten."))
    return redirect(url_for("reading_history.index"), 303)

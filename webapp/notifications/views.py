"""What a member was told, and what they want to be told."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.prefetch import viewer_context
from webapp.core.web.security import no_store
from webapp.statuses.filters.apply import filters_for

from . import store
from .forms import PreferencesForm
from .kinds import TABS, kinds_in_tab

bp = Blueprint("notifications", __name__)
bp.after_request(no_store)  # one member's own, and unread only once


@bp.get("/notifications")
@bp.get("/notifications/<tab>")
def index(tab: str = "all") -> str:
    """What one was told, or a part of it. Opening the page marks what it shows as read, for a link is all there is
    without a script; a page that a browser fetches before anybody asks for it marks nothing.
    """
    if tab not in TABS or (tab == "all" and request.view_args):
        abort(404)
    page = store.page(
        db(), g.viewer.uid, kinds_in_tab(tab), cursor(), config().page_size, _is_viewed_by_person()
    )
    filter_set = filters_for("notifications")
    filtered_ids = {
        one.status.id for one in page.items if one.status and filter_set.hides(one.status)
    }
    visible_groups = tuple(
        one for one in page.items if one.status is None or one.status.id not in filtered_ids
    )
    page = replace(page, items=visible_groups, filtered=tuple(filtered_ids))
    context = {
        "page": page,
        "tab": tab,
        "tabs": TABS,
        "unread_notifications": page.unread_count,
        "filter_set": filter_set,
    }
    return render_template("notifications/index.html", **context)


@bp.post("/notifications/read")
def mark_all() -> Response:
    """Marks everything as read."""
    store.mark_all(db(), g.viewer.uid)
    return redirect(url_for("notifications.index"), 303)


@bp.route("/settings/notifications", methods=["GET", "POST"])
def settings() -> str | Response | tuple[str, int]:
    """Of what one wants to be told, and by whom."""
    if request.method != "POST":
        form = PreferencesForm(data=store.preferences(db(), g.viewer.uid))
        return render_template("notifications/settings.html", form=form)
    form = PreferencesForm()
    if not form.validate_on_submit():
        return render_template("notifications/settings.html", form=form), 422
    rate_limits.consume(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    store.set_preferences(db(), g.viewer.uid, form.data)
    flash(_("Your choices are saved."))
    return redirect(url_for("notifications.settings"), 303)


def unread_count() -> int:
    """How many notifications wait for who is asking."""
    return int(viewer_context().get("unread_notifications", 0))


@bp.app_context_processor
def page_context() -> dict[str, object]:
    """What every page shows of them."""
    return {"unread_notifications": unread_count()}


def _is_viewed_by_person() -> bool:
    """Whether somebody looks at the page: not a script, a picture's address or a browser that only might need it."""
    purpose = " ".join(
        request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz")
    )
    is_document = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.method == "GET" and is_document and "prefetch" not in purpose.lower()

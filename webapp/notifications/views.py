"""The page of notifications, and the member's preferences."""

from dataclasses import replace

from flask import Blueprint, Response as FlaskResponse, abort, g, render_template, request
from flask_babel import gettext as _

from webapp.core.rendering.kept_pages import kept_page, render_kept
from webapp.core.web import (
    config,
    cursor,
    db,
    done,
    is_loaded_ahead,
    no_store,
    site,
    viewer_context,
)
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.redirects import ViewResponse, declare_act
from webapp.core.web.view_options import in_loop
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.private_mentions.store import private_page

from . import store
from .kinds import TABS, kinds_in_tab
from .push import devices
from .push.forms import SettingsForm
from .push.settings_page import render_settings

bp = Blueprint("notifications", __name__)
bp.after_request(no_store)  # private, and unread only once
declare_act(bp, "/notifications/read", store.mark_all, "notifications.index", takes=db)


@bp.get("/notifications")
@bp.get("/notifications/<tab>")
@in_loop
def index(tab: str = "all") -> FlaskResponse:
    """Show a member's notifications, or one tab of them, and mark these as read.

    A page that a browser fetches in advance marks nothing.
    """
    if tab not in TABS or (tab == "all" and request.view_args):
        abort(404)
    page = store.page(
        db(), g.viewer.uid, kinds_in_tab(tab), cursor(), config().page_size, _is_viewed_by_person()
    )
    filter_set = filters_for("notifications")
    filtered_ids = {
        group.status.id for group in page.items if group.status and filter_set.hides(group.status)
    }
    visible_groups = tuple(
        group for group in page.items if group.status is None or group.status.id not in filtered_ids
    )
    page = replace(page, items=visible_groups, filtered=tuple(filtered_ids))
    context = {
        "page": page,
        "tab": tab,
        "tabs": TABS,
        "unread_notifications": page.unread_count,
        "filter_set": filter_set,
    }
    return kept_page((page, tab), lambda: render_template("notifications/index.html", **context))


@bp.get("/notifications/private")
def private_mentions() -> FlaskResponse:
    """Show the posts that only those may see whom they name, by or to the member."""
    filters = filters_for("notifications")
    page = private_page(site(), g.viewer.uid, cursor(), filters)
    return render_kept("notifications/private_mentions.html", page=page, tabs=TABS)


@bp.route("/settings/notifications", methods=["GET", "POST"])
def settings() -> ViewResponse:
    """Show and change from whom the member wants notifications, and which on their devices."""
    if request.method != "POST":
        return render_settings()
    form = SettingsForm()
    if not form.validate_on_submit():
        return render_settings(form), 422
    consume_for_viewer("edit")
    push = None if config().web_push == "off" else form.push
    devices.set_preferences(db(), g.viewer.uid, form.sources, push)
    return done(_("Settings saved."), "notifications.settings")


def unread_count() -> int:
    """Return how many notifications the viewer has not seen."""
    return int(viewer_context().get("unread_notifications", 0))


@bp.app_context_processor
def page_context() -> dict[str, object]:
    """Return the values that every page shows of notifications."""
    return {"unread_notifications": unread_count()}


def _is_viewed_by_person() -> bool:
    """Return True if a person sees the page: no script, image request or prefetch asks for it.

    The script of an open page says so after a click. No other site's script can send its header.
    """
    if request.headers.get("X-Viewed-By-Person"):
        return True
    is_document = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.method == "GET" and is_document and not is_loaded_ahead()

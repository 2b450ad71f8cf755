"""What a member was told, and what they want to be told."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..app import config, db, told
from ..paging import cursor
from ..security import keep_nowhere
from ..statuses.sieving import sieve
from . import store
from .forms import ChoicesForm
from .kinds import TABS, of_tab

bp = Blueprint("notifications", __name__)
bp.after_request(keep_nowhere)  # one member's own, and unread only once


@bp.get("/notifications")
@bp.get("/notifications/<tab>")
def index(tab: str = "all") -> str:
    """What one was told, or a part of it. Opening the page marks what it shows as read, for a link is all there is
    without a script; a page that a browser fetches before anybody asks for it marks nothing.
    """
    if tab not in TABS or (tab == "all" and request.view_args):
        abort(404)
    page = store.listed(db(), g.viewer.uid, of_tab(tab), cursor(), config().page_size, _is_shown())
    chosen = sieve("notifications")
    left_out = {one.status.id for one in page.items if one.status and chosen.hides(one.status)}
    shown = tuple(one for one in page.items if one.status is None or one.status.id not in left_out)
    page = replace(page, items=shown, filtered=tuple(left_out))
    told = {"page": page, "tab": tab, "tabs": TABS, "unread_notifications": page.left, "sieve": chosen}
    return render_template("notifications/index.html", **told)


@bp.post("/notifications/read")
def mark_all() -> Response:
    """Marks everything as read."""
    store.mark_all(db(), g.viewer.uid)
    return redirect(url_for("notifications.index"), 303)


@bp.route("/settings/notifications", methods=["GET", "POST"])
def settings() -> str | Response | tuple[str, int]:
    """Of what one wants to be told, and by whom."""
    if request.method != "POST":
        form = ChoicesForm(data=store.choices(db(), g.viewer.uid))
        return render_template("settings/notifications.html", form=form)
    form = ChoicesForm()
    if not form.validate_on_submit():
        return render_template("settings/notifications.html", form=form), 422
    limits.take(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    store.choose(db(), g.viewer.uid, form.data)
    flash(_("Your choices are saved."))
    return redirect(url_for("notifications.settings"), 303)


def unread() -> int:
    """How many notifications wait for who is asking."""
    return int(told()[1]) if told() else 0


@bp.app_context_processor
def shared() -> dict[str, object]:
    """What every page shows of them."""
    return {"unread_notifications": unread()}


def _is_shown() -> bool:
    """Whether somebody looks at the page: not a script, a picture's address or a browser that only might need it."""
    purpose = " ".join(request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    opened = request.headers.get("Sec-Fetch-Dest", "document") == "document"
    return request.method == "GET" and opened and "prefetch" not in purpose.lower()

"""The operator's pages of drops: announce them, change them before they open, close them."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.accounts.viewer import require_admin
from webapp.core.errors import Conflict
from webapp.core.store.reads import Read
from webapp.core.web.context import db, site
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited
from webapp.core.web.redirects import done
from webapp.core.web.security import no_store

from . import store
from .forms import DropForm, values_of
from .store import Drop

bp = Blueprint("drop_offers", __name__, url_prefix="/admin/drops")
bp.before_request(require_admin)
bp.after_request(no_store)
ViewResponse = str | Response | tuple[str, int]


@bp.get("")
@prefetch(lambda _requester: store.newest_ids())
def index(ids: list[int]) -> str:
    """List the drops, those that open or opened last first."""
    return render_template("rewards/drops/offers.html", drops=db().read(store.listed(ids)))


@bp.route("/new", methods=["GET", "POST"])
def new() -> ViewResponse:
    """Announce a drop."""
    return _edit(DropForm(), None)


def _drop(_: Requester, drop_id: int) -> Read[Drop]:
    return store.get(drop_id)


@bp.route("/<id:drop_id>/edit", methods=["GET", "POST"])
@prefetch(_drop)
def edit(drop: Drop, drop_id: int) -> ViewResponse:
    """Change a drop that has not opened yet."""
    return _edit(DropForm(data=values_of(drop)), drop)


@bp.post("/<id:drop_id>/close")
@rate_limited("edit")
def close(drop_id: int) -> Response:
    """Close a drop now. Orders that were made are still delivered."""
    store.close(site(), drop_id)
    return done(_("Drop closed."), "drop_offers.index")


def admin_panel() -> Markup:
    """Return the link on /admin."""
    return Markup(render_template("rewards/drops/admin_panel.html"))


def _edit(form: DropForm, drop: Drop | None) -> ViewResponse:
    """Show the form of a drop, or save it. `drop`: the one that is changed, None for a new one."""
    status = 200
    if request.method == "POST":
        status = 422
        if form.validate_on_submit():
            consume_for_viewer("edit")
            try:
                wanted = form.drop(drop.id if drop else 0)
                id_ = store.change(site(), wanted) if drop else store.add(site(), wanted)
            except Conflict as refusal:
                form.form_errors, status = [str(refusal.sentence)], refusal.status
            else:
                return done(_("Drop saved."), "drops.show", drop_id=id_)
    return render_template("rewards/drops/offer.html", form=form, drop=drop), status

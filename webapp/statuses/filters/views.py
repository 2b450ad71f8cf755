"""A member's word filters: the list of them, new ones, changes."""

from flask import Blueprint, g
from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.web import ViewResponse, db, done, no_store, site
from webapp.core.web.redirects import declare_act

from . import filter_set, store as filters
from .apply import viewer_filters
from .forms import CONTEXT_LABELS, FilterForm

bp = Blueprint("filters", __name__, url_prefix="/settings/filters")
bp.after_request(no_store)  # filters are private
DELETE, DELETED = "/<id:number>/delete", _l("Filter deleted.")
declare_act(bp, DELETE, filters.delete, "filters.index", "edit", takes=db, said=DELETED)


@bp.route("", methods=["GET", "POST"])
def index() -> ViewResponse:
    """Show the member's filters, and save a new one."""
    return _edit(FilterForm(), filter_set.Filter(""), _("Filter saved."))


@bp.route("/<id:number>", methods=["GET", "POST"])
def edit(number: int) -> ViewResponse:
    """Show a filter, and save its changes."""
    filter_ = filters.find(viewer_filters(), number)
    return _edit(FilterForm.from_filter(filter_), filter_, _("Settings saved."))


def _edit(form: FilterForm, filter_: filter_set.Filter, notice: str) -> ViewResponse:
    """Show the form of a filter, whose number is 0 if it is new, or save it."""

    def save() -> None:
        if filter_.number:
            filters.change(site(), g.viewer.uid, filter_.number, form.changing)
        else:
            filters.save(site(), g.viewer.uid, form.changing(filter_))

    if form.carry_out(save, "edit", field="words"):
        return done(notice, "filters.index")
    return form.render(
        "statuses/filters/index.html",
        selected_filter=filter_ if filter_.number else None,
        filters=viewer_filters(),
        context_labels=CONTEXT_LABELS,
    )

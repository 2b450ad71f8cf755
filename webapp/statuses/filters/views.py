"""A member's word filters: the list of them, new ones, changes."""

from flask import Blueprint, g, render_template
from flask_babel import gettext as _

from webapp.core.errors import Conflict
from webapp.core.web import Response, consume_for_viewer, db, done, no_store, rate_limited, site

from . import filter_set
from . import store as filters
from .apply import viewer_filters
from .forms import CONTEXT_LABELS, FilterForm

bp = Blueprint("filters", __name__, url_prefix="/settings/filters")
bp.after_request(no_store)  # filters are private
ResponseValue = str | Response | tuple[str, int]


@bp.get("")
def index() -> str:
    """Show the member's filters, and a form for a new one."""
    return _render_page(FilterForm(formdata=None))


@bp.post("")
def create() -> ResponseValue:
    """Save a new filter."""
    form = FilterForm()
    if not form.validate_on_submit():
        return _render_page(form), 422
    return _save_and_redirect(form, filter_set.Filter(""), _("Filter saved."))


@bp.get("/<id:number>")
def edit(number: int) -> str:
    """Show the form of a filter."""
    filter_ = filters.find(viewer_filters(), number)
    return _render_page(FilterForm.from_filter(filter_), filter_)


@bp.post("/<id:number>")
def change(number: int) -> ResponseValue:
    """Save changes of a filter."""
    filter_ = filters.find(viewer_filters(), number)
    form = FilterForm(current_expiry=filter_.expires_at)
    if not form.validate_on_submit():
        return _render_page(form, filter_), 422
    return _save_and_redirect(form, filter_, _("Settings saved."))


@bp.post("/<id:number>/delete")
@rate_limited("edit")
def delete(number: int) -> Response:
    """Delete a filter."""
    filters.delete(db(), g.viewer.uid, number)
    return done(_("Filter deleted."), "filters.index")


def _save_and_redirect(form: FilterForm, earlier: filter_set.Filter, notice: str) -> ResponseValue:
    consume_for_viewer("edit")
    try:
        changed = form.to_filter(earlier.number).changed_from(earlier)
        filters.save(site(), g.viewer.uid, changed)
    except Conflict as refusal:
        return _render_page(form.refuse(refusal, "words")), refusal.status
    return done(notice, "filters.index")


def _render_page(form: FilterForm, selected: filter_set.Filter | None = None) -> str:
    return render_template(
        "statuses/filters/index.html",
        form=form,
        selected_filter=selected,
        filters=viewer_filters(),
        context_labels=CONTEXT_LABELS,
    )

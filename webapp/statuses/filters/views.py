"""One's filters of words: a list, a new one, and changing and deleting one."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.store.ids import parse_id
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.security import no_store
from webapp.errors import Conflict

from . import store as filters
from .apply import viewer_filters
from .forms import CONTEXT_LABELS, FilterForm

bp = Blueprint("filters", __name__, url_prefix="/settings/filters")
bp.after_request(no_store)  # what somebody does not want to read
ResponseValue = str | Response | tuple[str, int]


@bp.get("")
def index() -> str:
    """All of them, and a form for a new one."""
    return _render_page(FilterForm(formdata=None))


@bp.post("")
def create() -> ResponseValue:
    """Makes a filter."""
    form = FilterForm()
    if not form.validate_on_submit():
        return _render_page(form), 422
    return _save_and_redirect(form, 0, _("These words are filtered from now on."))


@bp.get("/<number>")
def edit(number: str) -> str:
    """The form of one of them."""
    filter_ = filters.find(viewer_filters(), _parse_id_or_404(number))
    return _render_page(FilterForm.from_filter(filter_), filter_)


@bp.post("/<number>")
def change(number: str) -> ResponseValue:
    """Gives a filter other words, places, time or act."""
    filter_ = filters.find(viewer_filters(), _parse_id_or_404(number))
    form = FilterForm(current_expiry=filter_.expires_at)
    if not form.validate_on_submit():
        return _render_page(form, filter_), 422
    return _save_and_redirect(form, filter_.number, _("Your choices are saved."))


@bp.post("/<number>/delete")
def delete(number: str) -> Response:
    """Deletes a filter."""
    rate_limits.consume(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    filters.delete(db(), g.viewer.uid, _parse_id_or_404(number))
    flash(_("The filter is deleted."))
    return redirect(url_for("filters.index"), 303)


def _save_and_redirect(form: FilterForm, number: int, notice: str) -> ResponseValue:
    rate_limits.consume(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    try:
        filters.save(db(), config(), g.viewer.uid, form.to_filter(number))
    except Conflict as refusal:
        form.words.errors = [str(refusal.sentence)]
        return _render_page(form), refusal.status
    flash(notice)
    return redirect(url_for("filters.index"), 303)


def _render_page(form: FilterForm, selected: filters.Filter | None = None) -> str:
    return render_template(
        "statuses/filters/index.html",
        form=form,
        selected_filter=selected,
        filters=viewer_filters(),
        context_labels=CONTEXT_LABELS,
    )


def _parse_id_or_404(raw: str) -> int:
    number = parse_id(raw)
    if number is None:
        abort(404)
    return number

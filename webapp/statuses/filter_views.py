"""One's filters of words: a list, a new one, and changing and deleting one."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from .. import limits
from ..app import config, db
from ..errors import Conflict
from ..ids import parse_id
from ..security import keep_nowhere
from . import filters
from .filter_forms import PLACE_WORDS, FilterForm
from .sieving import own_filters

bp = Blueprint("filters", __name__, url_prefix="/settings/filters")
bp.after_request(keep_nowhere)  # what somebody does not want to read
Answer = str | Response | tuple[str, int]


@bp.get("")
def index() -> str:
    """All of them, and a form for a new one."""
    return _page(FilterForm(formdata=None))


@bp.post("")
def create() -> Answer:
    """Makes a filter."""
    form = FilterForm()
    if not form.validate_on_submit():
        return _page(form), 422
    return _save(form, 0, _("These words are filtered from now on."))


@bp.get("/<number>")
def edit(number: str) -> str:
    """The form of one of them."""
    one = filters.one_of(own_filters(), _number(number))
    return _page(FilterForm.of(one), one)


@bp.post("/<number>")
def change(number: str) -> Answer:
    """Gives a filter other words, places, time or act."""
    one = filters.one_of(own_filters(), _number(number))
    form = FilterForm(kept=one.until)
    if not form.validate_on_submit():
        return _page(form, one), 422
    return _save(form, one.number, _("Your choices are saved."))


@bp.post("/<number>/delete")
def delete(number: str) -> Response:
    """Deletes a filter."""
    limits.take(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    filters.drop(db(), g.viewer.uid, _number(number))
    flash(_("The filter is deleted."))
    return redirect(url_for("filters.index"), 303)


def _save(form: FilterForm, number: int, said: str) -> Answer:
    limits.take(db(), ("edit", str(g.viewer.uid), config().limit_edit))
    try:
        filters.save(db(), config(), g.viewer.uid, form.filter(number))
    except Conflict as refusal:
        form.words.errors = [str(refusal.sentence)]
        return _page(form), refusal.status
    flash(said)
    return redirect(url_for("filters.index"), 303)


def _page(form: FilterForm, one: filters.Filter | None = None) -> str:
    return render_template("settings/filters.html", form=form, one=one, filters=own_filters(), places=PLACE_WORDS)


def _number(text: str) -> int:
    number = parse_id(text)
    if number is None:
        abort(404)
    return number

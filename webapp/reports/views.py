"""Reporting a post or a member to the operator."""

from flask import Blueprint, g, redirect, render_template, url_for

from webapp.accounts import store as accounts
from webapp.core.web import Response, consume_for_viewer, db, no_store_page, site
from webapp.statuses import store as statuses
from webapp.statuses.permalinks import canonical_redirect

from . import store
from .forms import ReportForm, confirm

bp = Blueprint("reports", __name__)
ResponseValue = Response | tuple[Response, int]


@bp.get("/@<login:login>/report")
def new_of_member(login: str) -> Response:
    """Show the form that reports a member."""
    return _form_page(ReportForm(formdata=None), member=accounts.get_by_login(db(), login))


@bp.post("/@<login:login>/report")
def of_member(login: str) -> ResponseValue:
    """Report a member."""
    form = ReportForm()
    if not form.validate_on_submit():
        return _form_page(form, member=accounts.get_by_login(db(), login)), 422
    consume_for_viewer("follow")
    reported = (form.reason.data, form.chosen_category)
    confirm(store.report_member(site(), g.viewer.uid, login, *reported))
    return redirect(url_for("timelines.profile", login=login), 303)


@bp.get("/@<login>/<id:status_id>/report")
def new_of_status(login: str, status_id: int) -> Response:
    """Show the form that reports a post."""
    status = statuses.get(db(), status_id, g.viewer.uid)
    if response := canonical_redirect(status.author, login):
        return response
    return _form_page(ReportForm(formdata=None), member=status.author, status=status)


@bp.post("/@<login>/<id:status_id>/report")
def of_status(login: str, status_id: int) -> ResponseValue:
    """Report a post."""
    form, status = ReportForm(), statuses.get(db(), status_id, g.viewer.uid)
    if not form.validate_on_submit():
        return _form_page(form, member=status.author, status=status), 422
    consume_for_viewer("follow")
    reported = (form.reason.data, form.chosen_category)
    is_new = store.report_status(site(), g.viewer.uid, status_id, *reported)
    confirm(is_new, in_group=bool(status.group))
    return redirect(url_for("statuses.show", login=login, status_id=status_id), 303)


def _form_page(form: ReportForm, **subject: object) -> Response:
    return no_store_page(render_template("reports/new.html", form=form, **subject))

"""Reporting a post or a member to the operator."""

from functools import partial

from flask import Blueprint, g, redirect, url_for

from webapp.accounts import store as accounts
from webapp.core.web import Response, db, private_page, site
from webapp.statuses import store as statuses
from webapp.statuses.permalinks import canonical_redirect

from . import store
from .forms import ReportForm, confirm

bp = Blueprint("reports", __name__)


@bp.route("/@<login:login>/report", methods=["GET", "POST"])
def of_member(login: str) -> Response:
    """Report a member."""
    form, report = ReportForm(), partial(store.report_member, site(), g.viewer.uid, login)
    if not form.carry_out(lambda: report(*form.given), "follow", refusals=()):
        return _form_page(form, member=accounts.get_by_login(db(), login))
    confirm(form.outcome)
    return redirect(url_for("timelines.profile", login=login), 303)


@bp.route("/@<login>/<id:status_id>/report", methods=["GET", "POST"])
def of_status(login: str, status_id: int) -> Response:
    """Report a post."""
    form, status = ReportForm(), statuses.get(db(), status_id, g.viewer.uid)
    if not form.is_submitted() and (response := canonical_redirect(status.author, login)):
        return response
    report = partial(store.report_status, site(), g.viewer.uid, status_id)
    if not form.carry_out(lambda: report(*form.given), "follow", refusals=()):
        return _form_page(form, member=status.author, status=status)
    confirm(form.outcome, in_group=bool(status.group))
    return redirect(url_for("statuses.show", login=login, status_id=status_id), 303)


def _form_page(form: ReportForm, **subject: object) -> Response:
    return private_page("reports/new.html", form.http_status, form=form, **subject)

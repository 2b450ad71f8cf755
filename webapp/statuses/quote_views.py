"""What quotes a status, who may, and taking one's own out of a quote."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response

from .. import limits
from ..accounts.quoting import Quoting, of_word
from ..app import config, db
from ..errors import Invalid, NotFound
from ..ids import parse_id
from ..paging import cursor
from ..security import public, safe_path
from ..visitors import cached, shows
from . import quotes
from .forms import QuotingForm
from .status import Status

bp = Blueprint("quotes", __name__)
SAID = {
    Quoting.EVERYONE: _l("Everybody may quote this post now."),
    Quoting.FOLLOWERS: _l("Your followers may quote this post now. What quotes it already stays."),
    Quoting.NOBODY: _l("Nobody else may quote this post now. What quotes it already stays."),
}


@bp.get("/@<login>/<status_id>/quotes")
@public
@cached("max_id")
def index(login: str, status_id: str) -> str | Response:
    """What quotes a status."""
    number, viewer = _number(status_id), g.viewer.uid if g.viewer else None
    found = quotes.listed(db(), number, cursor(), config().page_size, viewer)
    author, page = found.author, found.page
    if author.login.lower() != login.lower():
        raise NotFound("no_status")
    if author.login != login:
        return redirect(url_for("quotes.index", login=author.login, status_id=number, max_id=cursor()), 301)
    shows(quotes.uids_of(page.items).union({author.uid}))
    return render_template("statuses/quotes.html", quotes=found, page=page, status_id=number)


@bp.post("/statuses/<status_id>/detach")
def detach(status_id: str) -> Response:
    """Takes one's own status out of a quote of it."""
    quotes.detach(db(), config(), g.viewer.uid, _act(status_id))
    flash(_("Your post is not shown in that quote any more."))
    return _back(status_id)


@bp.post("/statuses/<status_id>/reattach")
@bp.delete("/statuses/<status_id>/detach", endpoint="remove_detach")
def reattach(status_id: str) -> Response:
    """Shows it there again."""
    quotes.reattach(db(), config(), g.viewer.uid, _act(status_id))
    flash(_("Your post is shown in that quote again."))
    return _back(status_id)


@bp.post("/statuses/<status_id>/quoting")
def let_quote(status_id: str) -> Response:
    """Says anew who may quote one's own status."""
    number, form = _act(status_id), QuotingForm()
    if not form.validate_on_submit():
        raise Invalid("bad_quoting")
    quoting = of_word(form.quoting.data)
    quotes.let_quote(db(), g.viewer.uid, number, quoting)
    flash(SAID[quoting])
    return _back(status_id)


@bp.app_template_global("quoting_form")
def _quoting_form(status: Status) -> QuotingForm:
    return QuotingForm(formdata=None, data={"quoting": status.quoting.word})


def _act(status_id: str) -> int:
    limits.take(db(), ("quote", str(g.viewer.uid), config().limit_like))
    return _number(status_id)


def _back(status_id: str) -> Response:
    back = safe_path((request.form.get("next") or "").partition("#")[0]) or url_for("timelines.home")
    return redirect(f"{back}#status-{int(status_id)}", 303)


def _number(status_id: str) -> int:
    number = parse_id(status_id)
    if number is None:
        abort(404)
    return number

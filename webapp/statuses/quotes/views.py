"""What quotes a status, who may, and taking one's own out of a quote."""

from __future__ import annotations

from flask import Blueprint, abort, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response

from webapp.accounts.quote_policy import QuotePolicy, parse_quote_policy
from webapp.core.store.ids import parse_id
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db
from webapp.core.web.pagination import cursor
from webapp.core.web.redirects import safe_path
from webapp.core.web.view_options import public
from webapp.errors import Invalid, NotFound
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.forms import QuotePolicyForm
from webapp.statuses.status import Status

from . import store as quotes

bp = Blueprint("quotes", __name__)
CONFIRMATIONS = {
    QuotePolicy.EVERYONE: _l("Everybody may quote this post now."),
    QuotePolicy.FOLLOWERS: _l(
        "Your followers may quote this post now. What quotes it already stays."
    ),
    QuotePolicy.NOBODY: _l("Nobody else may quote this post now. What quotes it already stays."),
}


@bp.get("/@<login>/<status_id>/quotes")
@public
@cached("max_id")
def index(login: str, status_id: str) -> str | Response:
    """What quotes a status."""
    parsed_id, viewer = _parse_id_or_404(status_id), g.viewer.uid if g.viewer else None
    quotes_page = quotes.quotes_page(db(), parsed_id, cursor(), config().page_size, viewer)
    author, page = quotes_page.author, quotes_page.page
    if author.login.lower() != login.lower():
        raise NotFound("no_status")
    if author.login != login:
        return redirect(
            url_for("quotes.index", login=author.login, status_id=parsed_id, max_id=cursor()), 301
        )
    depends_on_members(quotes.uids_on_page(page.items).union({author.uid}))
    return render_template(
        "statuses/quotes/index.html", quotes_page=quotes_page, page=page, status_id=parsed_id
    )


@bp.post("/statuses/<status_id>/detach")
def detach(status_id: str) -> Response:
    """Takes one's own status out of a quote of it."""
    quotes.detach(db(), config(), g.viewer.uid, _consume_limit_and_parse(status_id))
    flash(_("Your post is not shown in that quote any more."))
    return _redirect_to_status(status_id)


@bp.post("/statuses/<status_id>/reattach")
@bp.delete("/statuses/<status_id>/detach", endpoint="remove_detach")
def reattach(status_id: str) -> Response:
    """Shows it there again."""
    quotes.reattach(db(), config(), g.viewer.uid, _consume_limit_and_parse(status_id))
    flash(_("Your post is shown in that quote again."))
    return _redirect_to_status(status_id)


@bp.post("/statuses/<status_id>/quoting")
def set_quote_policy(status_id: str) -> Response:
    """Says anew who may quote one's own status."""
    parsed_id, form = _consume_limit_and_parse(status_id), QuotePolicyForm()
    if not form.validate_on_submit():
        raise Invalid("bad_quoting")
    policy = parse_quote_policy(form.quoting.data)
    quotes.set_quote_policy(db(), g.viewer.uid, parsed_id, policy)
    flash(CONFIRMATIONS[policy])
    return _redirect_to_status(status_id)


@bp.app_template_global("new_quote_policy_form")
def _quote_policy_form(status: Status) -> QuotePolicyForm:
    return QuotePolicyForm(formdata=None, data={"quoting": status.quote_policy.slug})


def _consume_limit_and_parse(status_id: str) -> int:
    rate_limits.consume(db(), ("quote", str(g.viewer.uid), config().limit_like))
    return _parse_id_or_404(status_id)


def _redirect_to_status(status_id: str) -> Response:
    return_path = safe_path((request.form.get("next") or "").partition("#")[0]) or url_for(
        "timelines.home"
    )
    return redirect(f"{return_path}#status-{int(status_id)}", 303)


def _parse_id_or_404(status_id: str) -> int:
    parsed_id = parse_id(status_id)
    if parsed_id is None:
        abort(404)
    return parsed_id

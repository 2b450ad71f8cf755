"""Quotes of a status: their page, who may quote, and taking one's own status out of a quote."""

from __future__ import annotations

from flask import Blueprint, flash, g, render_template
from flask_babel import lazy_gettext as _l
from wtforms import SelectField

from webapp.accounts.settings.quote_policy import (
    QuotePolicy,
    choices as quote_policies,
    parse_quote_policy,
)
from webapp.core.errors import Invalid
from webapp.core.forms.fields import Form
from webapp.core.web import Response, config, cursor, db, rate_limited, viewer_uid
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.filters.apply import without_filtered
from webapp.statuses.interactions.buttons import declare_button, lead_back
from webapp.statuses.items import uids_on_page
from webapp.statuses.permalinks import canonical_redirect
from webapp.statuses.status import Status

from . import listing, store as quotes

bp = Blueprint("quotes", __name__)
CONFIRMATIONS = {
    QuotePolicy.EVERYONE: _l("Everyone can quote this post now."),
    QuotePolicy.FOLLOWERS: _l("Your followers can quote this post now. Existing quotes stay."),
    QuotePolicy.NOBODY: _l("No one else can quote this post now. Existing quotes stay."),
}
DETACHED = _l("Your post was removed from that quote.")
REATTACHED = _l("Your post shows in that quote again.")
LIMIT = ("like", "quote")
declare_button(bp, "detach", quotes.detach, *LIMIT, done=DETACHED)
declare_button(bp, "reattach", quotes.reattach, *LIMIT, done=REATTACHED, undoes="detach")


@bp.get("/@<login>/<id:status_id>/quotes")
@cached("max_id")
def index(login: str, status_id: int) -> str | Response:
    """Show the quotes of a status."""
    found = listing.quotes_page(db(), status_id, cursor(), config().page_size, viewer_uid())
    if response := canonical_redirect(found.author, login, max_id=cursor()):
        return response
    depends_on_members(uids_on_page(found.page.items).union({found.author.uid}))
    page = without_filtered(found.page, "thread")
    return render_template(
        "statuses/quotes/index.html", quotes_page=found, page=page, status_id=status_id
    )


@bp.post("/statuses/<id:status_id>/quote-policy")
@rate_limited(*LIMIT)
def set_quote_policy(status_id: int) -> Response:
    """Set who may quote the member's own status."""
    form = QuotePolicyForm()
    if not form.validate_on_submit():
        raise Invalid("bad_quote_policy")
    policy = parse_quote_policy(form.quote_policy.data)
    quotes.set_quote_policy(db(), g.viewer.uid, status_id, policy)
    flash(CONFIRMATIONS[policy])
    return lead_back(status_id)


@bp.app_template_global("new_quote_policy_form")
def _quote_policy_form(status: Status) -> QuotePolicyForm:
    return QuotePolicyForm(formdata=None, data={"quote_policy": status.quote_policy.slug})


class QuotePolicyForm(Form):
    """The quote policy of a status that is already posted."""

    # The id of its own, as a composer with the same field may be on the page.
    quote_policy = SelectField(
        _l("Who can quote it"), choices=quote_policies(), id="quote-policy-now"
    )

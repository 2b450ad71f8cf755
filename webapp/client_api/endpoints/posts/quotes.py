"""Quotes: of a status, taken out of one, and who may make them."""

from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.status import Status
from webapp.client_api.http import Listed, Paging
from webapp.client_api.presentation import load, present_list, present_one
from webapp.core.errors import NotFound
from webapp.core.web import db, site, viewer_uid
from webapp.statuses.quotes import keys as quote_keys, store as quotes
from webapp.statuses.quotes.listing import quotes_page

from .posting import quote_policy

bp = ApiBlueprint("quotes")


@bp.declare("GET /api/v1/statuses/<id:status_id>/quotes", "", public=True)
def quotes_of(params: Paging, status_id: int) -> Listed[Status]:
    """Return the quotes of a status."""
    return present_list(
        params,
        [quote_keys.quotes(status_id)],
        lambda own, before: (
            quotes_page(own.db, status_id, before, own.config.page_size, viewer_uid()).page
        ),
    )


@bp.declare("POST /api/v1/statuses/<id:status_id>/quotes/<id:quote_id>/revoke", "write:statuses")
def revoke(status_id: int, quote_id: int) -> Status:
    """Take one of the caller's statuses out of a quote. Return the quote."""
    quote = load(quote_id)[0].quote
    if quote is None or quote[0] != status_id:
        raise NotFound("no_status")
    quotes.detach(site(), g.viewer.uid, quote_id)
    return present_one(quote_id)


@bp.declare("PUT /api/v1/statuses/<id:status_id>/interaction_policy", "write:statuses")
def change_policy(status_id: int, quote_approval_policy: str = "") -> Status:
    """Choose who may quote one of the caller's statuses. Quotes that exist stay.

    `quote_approval_policy`: public, followers or nobody.
    """
    policy = quote_policy(quote_approval_policy)
    load(status_id)
    quotes.set_quote_policy(db(), g.viewer.uid, status_id, policy)
    return present_one(status_id)

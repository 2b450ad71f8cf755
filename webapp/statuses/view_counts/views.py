"""The address to which pages report the posts that were on the screen."""

from flask import Blueprint, request
from flask_babel import gettext as _

from webapp.core.errors import Forbidden, Invalid
from webapp.core.forms.csrf import csrf
from webapp.core.store import parse_id
from webapp.core.web import consume_for_requester, public

from .viewers import count_views

bp = Blueprint("view_counts", __name__)
IDS_MAX = 50  # statuses of one report


# Without a form token: cached pages have none. Counting a view twice changes nothing.
@bp.post("/statuses/views")
@csrf.exempt
@public
def report() -> tuple[str, int]:
    """Count the statuses of `ids`, separated by commas, as seen. One trip, for the rate limit."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise Forbidden("elsewhere", _("That request came from another site."))
    raw_ids = request.form.get("ids", "").split(",")
    status_ids = [one for raw in raw_ids if (one := parse_id(raw))]
    if len(status_ids) != len(raw_ids) or len(status_ids) > IDS_MAX:
        raise Invalid("bad_ids", _("Give valid post ids, at most one page of them."))
    consume_for_requester("views")
    count_views(status_ids)
    return "", 204

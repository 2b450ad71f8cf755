"""The buttons that pin lists to home, move them there and unpin them."""

from flask import Blueprint, g, request, url_for

from webapp.core.web import Response, rate_limited, redirect_back, site
from webapp.core.web.redirects import declare_act
from webapp.lists import store as store

bp = Blueprint("list_pins", __name__)
declare_act(bp, "/lists/<id:number>/unpin", store.unpin, "lists.index", "follow", back=True)


@bp.post("/lists/<id:number>/pin")
@rate_limited("follow")
def pin(number: int) -> Response:
    """Pin a list, at the place that the form names; at the end if it names none."""
    place = request.form.get("place", type=int, default=store.PINNED_MAX)
    store.pin(site(), g.viewer.uid, number, min(max(0, place), store.PINNED_MAX))
    return redirect_back(url_for("lists.index"))

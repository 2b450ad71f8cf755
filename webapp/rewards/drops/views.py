"""The pages of drops and orders."""

from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, g, redirect, url_for

from webapp.core.errors import Conflict, NotFound
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read, gather
from webapp.core.web import Requester, Response, db, prefetch, private_page, rate_limited, site
from webapp.rewards.items import store as items
from webapp.rewards.points.ledger import balance_of

from . import store
from .store import Drop, Order

bp = Blueprint("drops", __name__)
REFRESH_SECONDS = 3  # between two looks at an order
LIVE_SECONDS = 5  # between two looks at a drop
Found = tuple[Drop, Order | None, int, bool]  # and points, and if the member never got a piece


@bp.get("/drops")
@prefetch(lambda requester: gather(store.newest_ids(), store.never_got(requester.uid or 0)))
def index(found: tuple[list[int], bool]) -> Response:
    """List the drops, those that open or opened last first, and what is left for the member."""
    ids, is_first = found
    drops = [drop.seen_by(is_first) for drop in db().read(store.listed(ids))]
    states = [drop.state for drop in drops]
    return render_kept("rewards/drops/index.html", drops=drops, states=states)


def _drop(requester: Requester, drop_id: int) -> Read[Found]:
    uid = requester.uid or 0
    own = gather(balance_of(uid), store.never_got(uid))
    return gather(store.get(drop_id), store.order_of(drop_id, uid), own).map(
        lambda found: (found[0], found[1], *found[2])
    )


def _age() -> int:
    """Return how many days ago the member joined."""
    joined: datetime = g.viewer.joined
    return (datetime.now(UTC) - joined).days


@bp.get("/drops/<id:drop_id>")
@prefetch(_drop)
def show(found: Found, drop_id: int) -> Response:
    """Show a drop, and the button to take a piece or the member's order."""
    return render_kept("rewards/drops/show.html", **_shown(found))


def _shown(found: Found) -> dict[str, Any]:
    """Return the parts of a drop's page."""
    drop, order, balance, is_first = found
    drop = drop.seen_by(is_first)
    return {
        "drop": drop,
        "is_first": is_first,
        "is_too_early": _age() < drop.days,
        "keeps_share": drop.keeps_share,
        "state": drop.state,
        "order": order,
        "balance": balance,
        "refresh_seconds": LIVE_SECONDS,
    }


@bp.post("/drops/<id:drop_id>/take")
@prefetch(lambda requester, drop_id: store.never_got(requester.uid or 0))
@rate_limited("like", "take")
def take(is_first: bool, drop_id: int) -> Response | tuple[Response, int]:
    """Take a piece. A refusal shows the drop with its reason; a second order, the first one."""
    try:
        store.take(site(), drop_id, g.viewer.uid, _age(), is_first=is_first)
    except Conflict as refusal:
        if refusal.code != "drop_again":
            found = db().read(_drop(Requester(g.viewer.uid), drop_id))
            return private_page(
                "rewards/drops/show.html",
                refusal.status,
                **_shown(found),
                refusal=refusal.sentence,
            )
    return redirect(url_for("drops.order", drop_id=drop_id), 303)


@bp.get("/drops/<id:drop_id>/order")
@prefetch(_drop)
def order(found: Found, drop_id: int) -> Response:
    """Show the member's order of a drop. Until it has ended, the page loads itself again."""
    drop, own, *_ = found
    if own is None:
        raise NotFound("no_order")
    page = private_page("rewards/drops/order.html", drop=drop, order=own)
    if own.is_in_progress:
        page.headers["Refresh"] = str(REFRESH_SECONDS)
    return page


def _orders(requester: Requester) -> Read[tuple[list[int], list[tuple[int, int]]]]:
    uid = requester.uid or 0
    return gather(store.ordered_ids(uid), items.owned_ids(uid, store.LISTED))


@bp.get("/orders")
@prefetch(_orders)
def orders(found: tuple[list[int], list[tuple[int, int]]]) -> Response:
    """Show the member's orders, and the newest of the member's items."""
    ids, owned = found
    uid = g.viewer.uid
    pairs, belongings = db().fetch(
        store.orders(ids, uid), items.items_of(uid, [id_ for _, id_ in owned])
    )
    return render_kept("rewards/drops/orders.html", orders=pairs, belongings=belongings)

"""The page of a cart, a member's or a visitor's."""

from contextlib import suppress

from flask import Blueprint, flash, g, make_response, redirect, render_template, request, url_for
from flask_babel import gettext as _

from webapp.core.errors import Conflict, Unavailable
from webapp.core.store import Read, constant, gather, parse_id
from webapp.core.web import Requester, Response, no_store, prefetch, public, redirect_back
from webapp.core.web.context import db, site, viewer_uid
from webapp.core.web.rate_limits import consume_for_viewer, rate_limited
from webapp.rewards.points.ledger import balance_of

from . import cart, goods, store
from .cart import Outcome
from .item_cookies import SEEN

bp = Blueprint("cart", __name__)
bp.after_request(no_store)
Found = tuple[list[int], int]


def _own(requester: Requester) -> Read[Found]:
    uid = requester.uid
    return gather(cart.ids_of(uid), balance_of(uid)) if uid else constant(([], 0))


@bp.get("/cart")
@public
@prefetch(_own)
def show(found: Found) -> Response:
    """Show the cart. A member's gets what the browser had before the sign-in. Five trips."""
    ids, balance = found
    waiting = cart.VISITORS.ids()
    if g.viewer and waiting:
        cart.merge(site(), g.viewer.uid, waiting)
    response = _page([*waiting, *ids], balance)
    if g.viewer and waiting:
        cart.VISITORS.forget(response)
    return response


@bp.post("/cart/<id:item_id>")
@public
def change(item_id: int) -> Response:
    """Put an item that the reader may see into the cart, or take one out."""
    is_in = request.form.get("in", "1") == "1"
    if is_in:
        store.visible(db(), viewer_uid(), db().read(goods.find(item_id)))
    response = redirect_back(url_for("cart.show"))
    if g.viewer:
        consume_for_viewer("like", "cart")
        cart.change(site(), g.viewer.uid, item_id, is_in=is_in)
    else:
        _change_visitors(response, item_id, is_in)
    flash(_("Added to your cart.") if is_in else _("Removed from your cart."))
    return response


def _change_visitors(response: Response, item_id: int, is_in: bool) -> None:
    """Change the cart of this browser. Raises Conflict if it is full."""
    others = [one for one in cart.VISITORS.ids() if one != item_id]
    if is_in and len(others) >= cart.CART_MAX:
        raise Conflict("cart_full")
    _keep_visitors(response, [item_id, *others] if is_in else others)


def _keep_visitors(response: Response, ids: list[int]) -> None:
    if ids:
        cart.VISITORS.keep(response, ids)
    else:
        cart.VISITORS.forget(response)


@bp.post("/cart/seen")
@public
def choose_seen() -> Response:
    """Let this browser remember the items that it shows, or forget them."""
    response = redirect(url_for("cart.show", _anchor="seen"), 303)
    if request.form.get("seen") == "1":
        SEEN.keep(response, SEEN.ids())
    else:
        SEEN.forget(response)
    return response


@bp.post("/cart/buy")
@rate_limited("like", "pay")
def buy() -> Response:
    """Buy the chosen items of the cart, one by one, and say what became of each."""
    lines = (line.partition(":")[::2] for line in request.form.getlist("item"))
    pairs = [(parse_id(item), parse_id(price)) for item, price in lines]
    prices = {item: price for item, price in pairs if item and price and price <= store.PRICE_MAX}
    uid = g.viewer.uid
    outcomes = cart.buy(site(), uid, dict(list(prices.items())[: cart.CART_MAX]))
    ids, balance = db().fetch(cart.ids_of(uid), balance_of(uid))
    refused = Conflict("nothing_chosen") if not prices else None
    page = _page(ids, balance, outcomes, str(refused.sentence) if refused else "")
    page.status_code = refused.status if refused else 200
    return page


def _page(
    ids: list[int], balance: int, outcomes: list[Outcome] | None = None, refusal: str = ""
) -> Response:
    """Return the page of a cart. What its reader may not see any more leaves it. Three trips."""
    ids, seen_ids = list(dict.fromkeys(ids))[: cart.CART_MAX], SEEN.ids()
    items = db().read(goods.find_all([*ids, *seen_ids]))
    viewer = viewer_uid()
    by_id = {item.id: (item, owner) for item, owner in store.visible_all(db(), viewer, items)}
    if g.viewer:
        with suppress(Unavailable):  # a store that refuses writes can still be read
            cart.remove(site(), g.viewer.uid, [one for one in ids if one not in by_id])
    shown, seen = ([by_id[one] for one in each if one in by_id] for each in (ids, seen_ids))
    open_ = [item for item, _owner in shown if item.is_open and item.sale == "fixed"]
    page = render_template(
        "rewards/market/cart.html",
        shown=shown,
        open_ids={item.id for item in open_},
        total=sum(item.price for item in open_),
        balance=balance,
        outcomes=outcomes or [],
        refusal=refusal,
        seen=seen,
        sees=SEEN.is_set,
        seen_most=SEEN.most,
    )
    response = make_response(page)
    if not g.viewer and len(shown) < len(ids):
        _keep_visitors(response, [item.id for item, _owner in shown])
    return response

"""The pages of the market and of a member's items."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask.wrappers import Response as FlaskResponse
from flask_babel import gettext as _, lazy_gettext as _l, lazy_pgettext as _lp

from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Read, constant, gather
from webapp.core.web import Page, Requester, Response, cursor, done, prefetch, public, rate_limited
from webapp.core.web.context import config, db, site, viewer_uid
from webapp.core.web.rate_limits import consume_for_requester
from webapp.core.web.security import no_store, private_page
from webapp.rewards.items.store import KINDS, owned_ids
from webapp.rewards.points.ledger import balance_of

from . import cart, goods, store
from .forms import AnswerForm, PaymentForm, SaleForm
from .goods import Goods, Hold, Sold
from .item_cookies import SEEN
from .store import PRICE_MAX, News

bp = Blueprint("market", __name__)
bp.after_request(no_store)
AFTER_MAX = 140  # characters of a cursor in the market
TITLE_MAX = 60  # characters of a search
PRICE_TYPED_MAX = 20  # characters of a wrong price that are shown again
LIVE_SECONDS = 10  # between two looks at the market
REFRESH_SECONDS = 3  # between two looks at a payment
ORDER_NAMES = {
    "new": _lp("items", "Newest"),
    "price": _l("Price"),
    "ends": _l("Ends soon"),
    "name": _lp("items", "Name"),
}
Found = tuple[Goods | None, tuple[list[Sold], list[Hold]], int, bool]  # and points, if in the cart


@bp.app_template_global("sale_form_of")
def sale_form_of(item: Goods, refused: SaleForm | None) -> SaleForm:
    """Return the form to sell an item, or to change its sale: the refused one, or a new one."""
    times = dict.fromkeys(("begins", "lasts"), "" if item.is_listed else "0")
    form = refused or SaleForm(formdata=None, price=item.price or None, **times)
    if not item.is_listed:
        form.require_times()
    return form


def _order() -> str:
    order = request.args.get("by", "new")
    return order if order in ORDER_NAMES else "new"


def _wanted() -> store.Wanted:
    """Return the search of the request. An unknown kind or a wrong price is left out."""
    kind, most = request.args.get("kind", ""), request.args.get("most", 0, int)
    title = request.args.get("q", "")[:TITLE_MAX].strip()
    return store.Wanted(title, kind if kind in KINDS else "", most if 0 < most < PRICE_MAX else 0)


def _listed(wanted: store.Wanted) -> Read[store.Listed]:
    after = request.args.get("max_id", "")[:AFTER_MAX]
    return store.listed(_order(), after, config().page_size, wanted)


def _all_listed(_requester: Requester) -> Read[store.Listed | None]:
    """Read all items for sale, with the session. A search is counted before it is made."""
    return constant(None) if _wanted() != store.ANY else _listed(store.ANY)


@bp.get("/market")
@public
@prefetch(_all_listed)
def index(found: store.Listed | None) -> FlaskResponse | str:
    """Show what is for sale, in an order that the reader chooses, or what fits a search."""
    wanted, typed = _wanted(), request.args.get("most", "")[:PRICE_TYPED_MAX].strip()
    refused_price = "" if wanted.most else typed
    if found is None:
        consume_for_requester("search")
    ids, after = found or db().read(_listed(wanted))
    items = [one for one in db().read(goods.find_all(ids)) if wanted.fits(one)]
    shown = store.visible_all(db(), viewer_uid(), items, for_list=True)
    # What somebody searched for is not kept.
    render = render_template if found is None or refused_price else render_kept
    return render(
        "rewards/market/index.html",
        wanted=wanted,
        refused_price=refused_price,
        filters={name: value for name, value in asdict(wanted).items() if value},
        page=store.MarketPage(tuple(shown), after),
        order=_order(),
        orders=ORDER_NAMES,
        states=[item.is_open for item, _owner in shown],
        refresh_seconds=LIVE_SECONDS,
    )


def _item(requester: Requester, item_id: int) -> Read[Found]:
    uid = requester.uid or 0
    own = gather(balance_of(uid), cart.has(uid, item_id))
    return gather(goods.find(item_id), goods.history(item_id), own).map(
        lambda found: (found[0], found[1], *found[2])
    )


@bp.get("/market/<id:item_id>")
@public
@prefetch(_item)
def show(found: Found, item_id: int) -> FlaskResponse:
    """Show an item, and what the reader can do with it."""
    context = _shown(found)
    page = render_kept("rewards/market/show.html", **context, form=None, refusal="", typed={})
    if SEEN.is_set:
        SEEN.add(page, item_id)
    if context["is_paying"]:
        page.headers["Refresh"] = str(REFRESH_SECONDS)
    return page


@bp.post("/market/<id:item_id>/list")
@rate_limited("edit", "trade")
def offer(item_id: int) -> Response:
    """Offer an item for sale, or change its price."""
    form = SaleForm()
    if not form.validate_on_submit():
        return _again(item_id, 422, form=form)
    try:
        store.offer(site(), g.viewer.uid, item_id, form.version.data, form.sale())
    except Conflict as refusal:
        return _again(item_id, refusal.status, form, str(refusal.sentence))
    return done(_("Your item is on the market."), "market.show", item_id=item_id)


@bp.post("/market/<id:item_id>/withdraw")
@rate_limited("edit", "trade")
def withdraw(item_id: int) -> Response:
    """Take an item off the market."""
    try:
        store.withdraw(site(), g.viewer.uid, item_id)
    except Conflict as refusal:
        return _again(item_id, refusal.status, refusal=str(refusal.sentence))
    return done(_("Your item is off the market."), "market.show", item_id=item_id)


@bp.post("/market/<id:item_id>/pay")
@rate_limited("like", "pay")
def pay(item_id: int) -> Response:
    """Buy an item, bid for it or make an offer. A refusal shows the item as it is now."""
    form = PaymentForm()
    typed = {str(form.what.data): request.form.get("amount", "")}
    if not form.validate_on_submit():
        errors = [error for each in form.errors.values() for error in each]
        return _again(item_id, 422, refusal=str(errors[0]), typed=typed)
    try:
        store.ask(site(), g.viewer.uid, item_id, form.what.data, form.amount.data)
    except Conflict as refusal:
        return _again(item_id, refusal.status, refusal=str(refusal.sentence), typed=typed)
    return redirect(url_for("market.show", item_id=item_id), 303)


@bp.post("/market/<id:item_id>/answer")
@rate_limited("like", "pay")
def answer(item_id: int) -> Response:
    """Accept or decline an offer, or take back one's own."""
    form = AnswerForm()
    try:
        store.answer_offer(
            site(), g.viewer.uid, item_id, form.number.data or "", form.accepts.data == "1"
        )
    except (Conflict, NotFound) as refusal:
        if refusal.code == "no_item":
            raise
        return _again(item_id, refusal.status, refusal=str(refusal.sentence))
    return redirect(url_for("market.show", item_id=item_id), 303)


def _owned(requester: Requester) -> Read[tuple[list[tuple[int, int]], list[News], int]]:
    uid = requester.uid or 0
    owned = owned_ids(uid, config().page_size + 1, cursor())
    return gather(owned, store.news_of(uid), balance_of(uid))


@bp.get("/inventory")
@prefetch(_owned)
def inventory(found: tuple[list[tuple[int, int]], list[News], int]) -> FlaskResponse:
    """Show the member's items, the newest first, and the news of the market."""
    pairs, news, balance = found
    size = config().page_size
    items = db().read(goods.find_all([id_ for _at, id_ in pairs[:size]]))
    own = tuple(item for item in items if item.owner == g.viewer.uid)
    after = pairs[size - 1][0] if len(pairs) > size else None
    return render_kept(
        "rewards/market/inventory.html", page=Page(own, after), news=news, balance=balance
    )


def _shown(found: Found) -> dict[str, Any]:
    """Return the parts of an item's page. One trip. Raises NotFound."""
    item, (prices, holds), balance, in_cart = found
    uid = viewer_uid()
    item, owner = store.visible(db(), uid, item)
    own = [hold for hold in holds if hold.uid == uid]
    return {
        "item": item,
        "owner": owner,
        "is_own": item.owner == uid,
        "is_open": item.is_open,
        "prices": prices,
        "offers": [one for one in holds if one.what == "offer" and one.state == "held"],
        "own_holds": own,
        "is_paying": any(hold.state == "asked" for hold in own),
        "balance": balance,
        "in_cart": in_cart or item.id in cart.VISITORS.ids(),
        "uid": uid,
    }


def _again(
    item_id: int,
    status: int,
    form: SaleForm | None = None,
    refusal: str = "",
    typed: Mapping[str, str] | None = None,
) -> FlaskResponse:
    """Return the page of an item after a refusal, with the form as it was sent. Two trips.

    `typed`: the amount of a refused bid or offer.
    """
    context = _shown(db().read(_item(Requester(g.viewer.uid), item_id)))
    if form and not context["is_own"]:
        raise Forbidden("others_item")
    return private_page(
        "rewards/market/show.html",
        status,
        **context,
        form=form,
        refusal=refusal,
        typed=typed or {},
    )

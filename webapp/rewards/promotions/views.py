"""The pages of promotions."""

from functools import partial

from flask import Blueprint, g, redirect, render_template, url_for
from flask.blueprints import BlueprintSetupState
from flask_babel import gettext as _, lazy_gettext as _l
from werkzeug.wrappers import Response

from webapp.core.errors import NotFound
from webapp.core.store import Read, collect, gather
from webapp.core.web import Requester, ViewResponse, db, done, no_store, prefetch, site
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import declare_act
from webapp.rewards.points.ledger import balance_of
from webapp.statuses import Status, entries_of, statuses
from webapp.statuses.promoted.promoted_post import EXTENSION

from . import store
from .forms import PromotionForm, SeeingForm
from .showings import offer
from .store import Promotion
from .tracking import track

bp = Blueprint("promotions", __name__)
bp.after_request(no_store)
bp.after_app_request(track)
Found = tuple[Promotion | None, Status | None, int]  # and the points that the member has
HIDE, HIDDEN = "/promote/<id:status_id>/hide", _l("You won’t see that promoted post again.")
declare_act(bp, HIDE, store.hide, "timelines.home", "like", "hide_promoted", said=HIDDEN, back=True)


@bp.record_once
def _offer_posts(state: BlueprintSetupState) -> None:
    state.app.extensions[EXTENSION] = offer


def _own(requester: Requester) -> Read[tuple[list[int], int]]:
    uid = requester.uid or 0
    return gather(store.promoted_ids(uid), balance_of(uid))


@bp.get("/promote")
@prefetch(_own)
def index(found: tuple[list[int], int]) -> str:
    """List the promotions of the member, the newest first."""
    ids, balance = found
    promotions, posts = db().fetch(
        collect(map(store.find, ids)), statuses([(id_, g.viewer.uid) for id_ in ids])
    )
    pairs = [pair for pair in zip(promotions, posts, strict=True) if pair[0]]
    return render_template("rewards/promotions/index.html", pairs=pairs, balance=balance)


def _promotion(requester: Requester, status_id: int) -> Read[Found]:
    uid = requester.uid or 0
    own = gather(entries_of([status_id]), statuses([(status_id, uid)])).map(
        lambda found: found[1][0] if found[0] == [(status_id, uid)] else None
    )
    return gather(store.find(status_id), own, balance_of(uid))


@bp.get("/promote/<id:status_id>")
@prefetch(_promotion)
def show(found: Found, status_id: int) -> ViewResponse:
    """Show the promotion of a post of the member's, or the form that begins one."""
    return _render(found, PromotionForm())


@bp.post("/promote/<id:status_id>")
def start(status_id: int) -> ViewResponse:
    """Promote a post."""
    form, begin = PromotionForm(), partial(store.start, site(), g.viewer.uid, status_id)
    if form.carry_out(lambda: begin(form.terms()), "edit", "promote"):
        said = _("Sent for review. It runs as soon as it is accepted.")
        return done(said, "promotions.show", status_id=status_id)
    found = db().read(_promotion(Requester(g.viewer.uid), status_id))
    return _render(found, form), form.http_status


@bp.post("/promote/<id:status_id>/<act>")
@rate_limited("edit", "promote")
def move(status_id: int, act: str) -> Response:
    """Pause, resume or end a promotion of the member's."""
    if act not in ("pause", "resume", "end"):
        raise NotFound("no_promotion")
    store.move(site(), g.viewer.uid, status_id, act)
    return redirect(url_for("promotions.show", status_id=status_id), 303)


@bp.get("/settings/promoted")
@prefetch(lambda requester: store.wants_none(requester.uid or 0))
def seeing(none: bool) -> str:
    """Show the setting whether the member sees promoted posts."""
    return render_template("rewards/promotions/seeing.html", form=SeeingForm(none=none))


@bp.post("/settings/promoted")
@rate_limited("edit")
def save_seeing() -> Response:
    """Save whether the member sees promoted posts."""
    store.choose_none(site(), g.viewer.uid, bool(SeeingForm().none.data))
    return done(_("Settings saved."), "promotions.seeing")


def _render(found: Found, form: PromotionForm) -> str:
    """Return the page of a promotion. Raises NotFound unless the post was the member's."""
    promotion, status, balance = found
    if promotion and promotion.uid != g.viewer.uid:
        promotion = None
    if status is None and promotion is None:
        raise NotFound("no_status")
    return render_template(
        "rewards/promotions/show.html",
        promotion=promotion,
        status=status,
        form=form if status and (not promotion or promotion.state == "ended") else None,
        balance=balance,
    )

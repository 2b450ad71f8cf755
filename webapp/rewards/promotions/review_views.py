"""The page where moderators review promotions."""

from flask import Blueprint, g, render_template, request
from flask_babel import gettext as _

from webapp.accounts.factors.requirement import require_moderator
from webapp.core.store import Read
from webapp.core.web import ViewResponse, config, cursor, db, done, no_store, prefetch, site
from webapp.core.web.rate_limits import rate_limited

from . import store
from .forms import RefusalForm

bp = Blueprint("promotion_reviews", __name__, url_prefix="/moderation/promotions")
bp.before_request(require_moderator)
bp.after_request(no_store)


def _ids(_requester: object = None) -> Read[list[int]]:
    return store.waiting_ids(cursor(), config().page_size)


@bp.get("")
@prefetch(_ids)
def index(ids: list[int]) -> str:
    """Show the promotions that wait for a review, the newest post first."""
    return _page(RefusalForm(formdata=None), 0, ids)


@bp.post("/<id:status_id>")
@rate_limited("edit", "review_promotion")
def answer(status_id: int) -> ViewResponse:
    """Accept a promotion, or refuse it with a reason."""
    form = RefusalForm()
    accepts = "accept" in request.form
    if not accepts and not form.validate_on_submit():
        return _page(form, status_id, db().read(_ids())), 422
    act, why = ("accept", "") if accepts else ("refuse", form.why.data)
    store.review(site(), g.viewer, status_id, act, form.version.data or "", why)
    told = _("Accepted. It is running now.") if accepts else _("Refused. The member reads why.")
    return done(told, "promotion_reviews.index")


def _page(form: RefusalForm, refused: int, ids: list[int]) -> str:
    """Return the page. `refused`: the post whose refusal lacks something, 0 for none."""
    page = store.waiting_page(site(), ids, config().page_size)
    forms = {
        one.id: form if one.id == refused else RefusalForm(formdata=None) for one, _ in page.items
    }
    for id_, one in forms.items():
        one.why.id = one.why.label.field_id = f"why-{id_}"
    return render_template(
        "rewards/promotions/reviews.html", page=page, forms=forms, refused=refused
    )

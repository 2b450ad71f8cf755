"""Pages of moderation for members: decisions about their account, appeals, a warning to read."""

from flask import Blueprint, g, redirect, render_template, request, url_for
from flask_babel import gettext as _

from webapp.accounts.sessions.cookies import suspended_uid
from webapp.core.errors import Forbidden
from webapp.core.web import Response, ViewResponse, db, done, no_store, public, site, unwrap
from webapp.core.web.rate_limits import consume

from . import acting
from .forms import AppealForm
from .history import acts_on

bp = Blueprint("standing", __name__, url_prefix="/standing")
bp.after_request(no_store)


@bp.before_app_request
def lead_to_warning() -> Response | None:
    """Lead a member with an unread warning there, whichever page they open."""
    viewer, current = unwrap(g).viewer, unwrap(request)
    if not viewer or not viewer.warned or current.method != "GET":
        return None
    is_page = current.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    if not is_page or current.blueprint in ("standing", "about") or current.path[:5] == "/api/":
        return None
    return redirect(url_for("standing.show_warning"), 303)


@bp.get("")
@public
def index() -> ViewResponse:
    """Show the decisions about the viewer's account, or about a suspended one after its sign-in."""
    if not (g.viewer or suspended_uid()):
        return redirect(url_for("accounts.login", next=request.path), 303)
    return _page()


@bp.post("/<int:number>/appeal")
@public
def appeal(number: int) -> ViewResponse:
    """Appeal against a decision."""
    uid, form = _own_uid(), AppealForm()
    if not form.validate_on_submit():
        return _page(number, form), 422
    consume(db(), ("appeal", str(uid), site().config.limit_edit))
    acting.appeal(site(), uid, number, form.text.data)
    return done(_("Your appeal was sent. You’ll read the answer here."), "standing.index")


@bp.get("/warning")
def show_warning() -> ViewResponse:
    """Show the warning that the viewer has not read yet."""
    number = g.viewer.warned
    acts = db().read(acts_on(g.viewer.uid)) if number else []
    warning = next((one for one in acts if str(one.number) == number), None)
    if warning is None:
        if number:  # so many acts followed that it is no longer kept
            acting.read_warning(site(), g.viewer.uid)
        return redirect(url_for("standing.index"), 303)
    return render_template("moderation/warning.html", warning=warning)


@bp.post("/warning")
def read_warning() -> Response:
    """Note that the viewer has read the warning of the form, not one since, and lead home."""
    if request.form.get("number") == g.viewer.warned:
        acting.read_warning(site(), g.viewer.uid)
    return redirect(url_for("timelines.home"), 303)


def _own_uid() -> int:
    """Return the viewer, or the suspended member who signed in. Raises Forbidden."""
    uid = Forbidden.unless(g.viewer.uid if g.viewer else suspended_uid(), "signed_out")
    return int(uid)


def _page(number: int = 0, refused_form: AppealForm | None = None) -> str:
    """Return the decisions with a form each. `number`: the act whose form was refused."""
    acts = [one for one in db().read(acts_on(_own_uid())) if one.act.told]
    forms = {one.number: AppealForm.of_act(one.number) for one in acts if one.may_appeal}
    if refused_form and number in forms:
        forms[number] = refused_form
    return render_template("moderation/standing.html", acts=acts, forms=forms, refused=number)

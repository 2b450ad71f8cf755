"""All invitations at /admin/invitations: made, listed and cancelled by admins."""

from flask import g, request
from flask_babel import gettext as _, lazy_gettext as _l
from flask_babel.speaklater import LazyString
from werkzeug.wrappers import Response
from wtforms.validators import InputRequired, NumberRange

from webapp.accounts import store as accounts
from webapp.accounts.invitations import invites
from webapp.accounts.invitations.forms import OwnInviteForm
from webapp.accounts.viewer import admin_blueprint
from webapp.core.errors import NotFound
from webapp.core.forms.number_field import NumberField
from webapp.core.web import ViewResponse, config, cursor, db, done, paginate, prefetch, rate_limited

PLACES_MAX, DAYS_MAX = 1_000, 365
DAY_SECONDS = 86_400


def _number_field(label: LazyString, most: int, default: int) -> NumberField:
    limits = NumberRange(1, most, _l("Enter a number from %(min)d to %(max)d."))
    return NumberField(
        label,
        [InputRequired(_l("Enter a number.")), limits],
        default=default,
        render_kw={"inputmode": "numeric", "autocomplete": "off"},
    )


class InviteForm(OwnInviteForm):
    """An invitation: for how many people and days, with a note."""

    places = _number_field(_l("How many people may use it"), PLACES_MAX, 1)
    days = _number_field(_l("Days until it expires"), DAYS_MAX, 7)


bp = admin_blueprint("admin_invitations", __name__, "/admin/invitations")


@bp.route("", methods=["GET", "POST"])
@prefetch(lambda _requester: invites.expirations(cursor(), config().page_size + 1))
def index(expires: invites.Expirations) -> ViewResponse:
    """Make an invitation, or show those that have not expired, the last to expire first."""
    form = InviteForm()

    def make() -> None:
        seconds = form.days.data * DAY_SECONDS
        invites.create(db(), form.places.data, seconds, form.note.data, g.viewer.uid)

    if form.carry_out(make, "edit"):
        return done(_("Your invitation is ready. Copy its link."), "admin_invitations.index")
    found = db().read(invites.read_invites(expires))
    rows = [(round(one.expires.timestamp() * 1000), one) for one in found]
    more = len(expires) > config().page_size
    last_ms = round(min(expires.values()) * 1000) if more else None
    uids = {uid for one in found for uid in (one.by, *one.came)}
    return form.render(
        "admin/invitations.html",
        page=paginate(rows, config().page_size, last_ms),
        people=db().read(accounts.get_many(uids)),
    )


@bp.post("/cancel")
@rate_limited("edit")
def cancel() -> Response:
    """Make an invitation invalid, whoever made it. Raises NotFound."""
    code = request.form.get("code", "")
    if not invites.CODE_PATTERN.match(code) or not invites.cancel(db(), code):
        raise NotFound("no_invite")
    return done(_("Invitation cancelled."), "admin_invitations.index")

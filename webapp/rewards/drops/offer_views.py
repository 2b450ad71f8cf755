"""The operator's pages of drops: announce them, change them before they open, close them."""

from datetime import UTC, datetime, timedelta
from typing import Final

from flask import render_template
from flask_babel import gettext as _, lazy_gettext as _l
from markupsafe import Markup
from wtforms import SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange, ValidationError

from webapp.accounts.viewer import admin_blueprint
from webapp.core.forms.fields import Form, cleaned, normalize_name, normalize_text
from webapp.core.forms.number_field import NumberField
from webapp.core.web import Response, ViewResponse, db, done, prefetch, rate_limited, site

from . import store
from .store import ABOUT_MAX, DAYS_MAX, HOURS_MAX, PRICE_MAX, STOCK_MAX, TERMS, TITLE_MAX, Drop

TIME_FORMAT: Final = "%Y-%m-%dT%H:%M"  # as a browser's field takes it
NEEDS_NUMBER = _l("Enter a number.")


class DropForm(Form):
    """A drop: what it is, and from when on and for how long it can be had."""

    title = StringField(
        _l("Title"),
        [cleaned(normalize_name, TITLE_MAX, _l("Give the drop a title."))],
        render_kw={"autocomplete": "off", "maxlength": TITLE_MAX},
    )
    about = TextAreaField(
        _l("Description"),
        [cleaned(normalize_text, ABOUT_MAX)],
        render_kw={"rows": 3, "maxlength": ABOUT_MAX},
    )
    kind = SelectField(
        _l("Kind"),
        choices=[SelectChoice("badge", _l("Badge")), SelectChoice("thing", _l("Thing"))],
        default="thing",
    )
    price = NumberField(
        _l("Price in points"), [InputRequired(NEEDS_NUMBER), NumberRange(1, PRICE_MAX)]
    )
    stock = NumberField(_l("Pieces"), [InputRequired(NEEDS_NUMBER), NumberRange(1, STOCK_MAX)])
    opens = StringField(
        _l("Opens"),
        description=_l("In UTC. Leave it empty to open now."),
        render_kw={"type": "datetime-local", "autocomplete": "off"},
    )
    hours = NumberField(
        _l("Hours until it closes"),
        [InputRequired(NEEDS_NUMBER), NumberRange(1, HOURS_MAX)],
        default=24,
    )
    days = NumberField(
        _l("Days since joining"),
        [NumberRange(0, DAYS_MAX)],
        description=_l("Only members who joined at least this many days ago get one. 0: all."),
        default=0,
    )
    share = NumberField(
        _l("Reserved percentage"),
        [NumberRange(0, 100)],
        description=_l(
            "Of the pieces, for members who have never got one. Rounded down. Halfway through the "
            "drop, what is left of them is for everyone."
        ),
        default=0,
    )
    opens_at: datetime

    def validate_opens(self, field: StringField) -> None:
        """Parse the time, which is within the next year. Raises ValidationError."""
        now, raw = datetime.now(UTC), (field.data or "").strip()[:16].replace(" ", "T")
        try:
            self.opens_at = datetime.strptime(raw, TIME_FORMAT).replace(tzinfo=UTC) if raw else now
        except ValueError:
            raise ValidationError(_("Choose a day and a time, such as 2026-12-24 18:30.")) from None
        if not timedelta(minutes=-1) <= self.opens_at - now <= timedelta(days=366):
            raise ValidationError(_("Choose a time within the next 12 months."))

    def drop(self, id_: int) -> Drop:
        """Return the drop of a valid form."""
        ends = self.opens_at + timedelta(hours=self.hours.data)
        opens_ms, closes_ms = (int(one.timestamp() * 1000) for one in (self.opens_at, ends))
        values = {name: self[name].data for name in TERMS}
        return Drop(id_, left=self.stock.data, opens_ms=opens_ms, closes_ms=closes_ms, **values)


def values_of(drop: Drop) -> dict[str, object]:
    """Return the values of the form of a drop."""
    return {
        **{name: getattr(drop, name) for name in TERMS},
        "opens": f"{drop.opens:{TIME_FORMAT}}",
        "hours": round((drop.closes_ms - drop.opens_ms) / 3_600_000),
    }


bp = admin_blueprint("drop_offers", __name__, "/admin/drops")


@bp.get("")
@prefetch(lambda _requester: store.newest_ids())
def index(ids: list[int]) -> str:
    """List the drops, those that open or opened last first."""
    return render_template("rewards/drops/offers.html", drops=db().read(store.listed(ids)))


@bp.route("/new", methods=["GET", "POST"])
def new() -> ViewResponse:
    """Announce a drop."""
    return _edit(DropForm(), None)


@bp.route("/<id:drop_id>/edit", methods=["GET", "POST"])
@prefetch(lambda _, drop_id: store.get(drop_id))
def edit(drop: Drop, drop_id: int) -> ViewResponse:
    """Change a drop that has not opened yet."""
    return _edit(DropForm(data=values_of(drop)), drop)


@bp.post("/<id:drop_id>/close")
@rate_limited("edit")
def close(drop_id: int) -> Response:
    """Close a drop now. Orders that were made are still delivered."""
    store.close(site(), drop_id)
    return done(_("Drop closed."), "drop_offers.index")


def admin_panel() -> Markup:
    """Return the link on /admin."""
    return Markup(render_template("rewards/drops/admin_panel.html"))


def _edit(form: DropForm, drop: Drop | None) -> ViewResponse:
    """Show the form of a drop, or save it. `drop`: the one that is changed, None for a new one."""
    if form.carry_out(lambda: store.save(site(), form.drop(drop.id if drop else 0)), "edit"):
        return done(_("Drop saved."), "drops.show", drop_id=form.outcome)
    return form.render("rewards/drops/offer.html", drop=drop)

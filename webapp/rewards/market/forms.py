"""The forms of the market: offering an item, and paying for one."""

from typing import Any

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, RadioField, SelectField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import AnyOf, InputRequired, NumberRange, ValidationError

from webapp.core.forms.fields import Form
from webapp.core.forms.number_field import NumberField

from .store import PRICE_MAX, Sale

HOUR_MS = 3_600_000
KEPT = {"": _l("No change")}  # of what is for sale
BEGINNINGS = {"0": _l("Now"), "1": _l("In an hour"), "24": _l("In a day"), "72": _l("In 3 days")}
DURATIONS = {
    "0": _l("Until it’s sold"),
    "1": _l("1 hour"),
    "24": _l("1 day"),
    "72": _l("3 days"),
    "168": _l("7 days"),
}


def _price_field(label: Any) -> NumberField:
    limits = NumberRange(1, PRICE_MAX, _l("Choose a whole number from 1 to 1,000,000."))
    attributes = {"min": 1, "max": PRICE_MAX, "inputmode": "numeric", "autocomplete": "off"}
    return NumberField(label, [InputRequired(_l("Enter an amount.")), limits], render_kw=attributes)


def _hours_field(label: Any, names: dict[str, Any]) -> SelectField:
    choices = [SelectChoice(hours, name) for hours, name in (KEPT | names).items()]
    return SelectField(label, choices=choices, default="0")


class SaleForm(Form):
    """How an item is offered. `version`: of the item, as the member saw it."""

    version = NumberField(_l("Version"), [InputRequired()])
    kind = RadioField(
        _l("How do you sell it?"),
        choices=[
            SelectChoice("fixed", _l("At a price")),
            SelectChoice("auction", _l("To the highest bidder")),
        ],
        default="fixed",
    )
    price = _price_field(_l("Price, or lowest bid, in points"))
    begins = _hours_field(_l("Begins"), BEGINNINGS)
    lasts = _hours_field(_l("Ends after"), DURATIONS)

    def validate_lasts(self, field: SelectField) -> None:
        """Require an end of an auction. Raises ValidationError."""
        if self.kind.data == "auction" and field.data in ("", "0"):
            raise ValidationError(_("An auction needs an end."))

    def require_times(self) -> None:
        """Offer no times to keep: the item is not for sale."""
        for one in (self.begins, self.lasts):
            one.choices = [choice for choice in one.choices if choice.value]

    def sale(self) -> Sale:
        """Return the sale of a valid form."""
        begins, lasts = (
            int(one.data) * HOUR_MS if one.data else None for one in (self.begins, self.lasts)
        )
        return Sale(self.price.data, self.kind.data, begins, lasts)


class PaymentForm(Form):
    """A purchase at the price that the member saw, a bid or an offer."""

    what = HiddenField(validators=[AnyOf(("purchase", "bid", "offer"))])
    amount = _price_field(_l("Points"))


class AnswerForm(Form):
    """The answer to an offer, by its number."""

    number = HiddenField(validators=[InputRequired()])
    accepts = HiddenField()

"""The form of a drop."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import SelectField, StringField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, NumberRange, ValidationError

from webapp.core.forms.fields import Form, cleaned, normalize_name, normalize_text
from webapp.core.forms.number_field import NumberField

from .store import ABOUT_MAX, HOURS_MAX, PRICE_MAX, STOCK_MAX, TITLE_MAX, Drop

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

    def drop(self, id_: int = 0) -> Drop:
        """Return the drop of a valid form."""
        ends = self.opens_at + timedelta(hours=self.hours.data)
        times = (int(one.timestamp() * 1000) for one in (self.opens_at, ends))
        stock = self.stock.data
        kind, price = self.kind.data, self.price.data
        return Drop(id_, self.title.data, self.about.data, kind, price, stock, stock, *times)


def values_of(drop: Drop) -> dict[str, object]:
    """Return the values of the form of a drop."""
    return {
        "title": drop.title,
        "about": drop.about,
        "kind": drop.kind,
        "price": drop.price,
        "stock": drop.stock,
        "opens": f"{drop.opens:{TIME_FORMAT}}",
        "hours": round((drop.closes_ms - drop.opens_ms) / 3_600_000),
    }

"""The form of an invitation."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms.validators import InputRequired, NumberRange

from webapp.accounts.invitations.forms import OwnInviteForm
from webapp.core.forms.number_field import NumberField

PLACES_MAX, DAYS_MAX = 1_000, 365


class InviteForm(OwnInviteForm):
    """An invitation: for how many people and days, with a note."""

    places = NumberField(
        _l("How many people may use it"),
        [
            InputRequired(_l("Enter a number.")),
            NumberRange(1, PLACES_MAX, _l("Enter a number from %(min)d to %(max)d.")),
        ],
        default=1,
        render_kw={"inputmode": "numeric", "autocomplete": "off"},
    )
    days = NumberField(
        _l("Days until it expires"),
        [
            InputRequired(_l("Enter a number.")),
            NumberRange(1, DAYS_MAX, _l("Enter a number from %(min)d to %(max)d.")),
        ],
        default=7,
        render_kw={"inputmode": "numeric", "autocomplete": "off"},
    )

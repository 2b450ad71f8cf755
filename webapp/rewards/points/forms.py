"""The form of check-ins."""

from __future__ import annotations

from typing import Any

from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, SelectField

from webapp.core.forms.fields import Form

from .check_ins import zones


class ChoicesForm(Form):
    """The time zone of check-ins, and what others see of them."""

    # An unknown zone is taken for UTC.
    zone = SelectField(_l("Time zone"), validate_choice=False)
    hidden = BooleanField(_l("Leave me out of the boards"))
    badge_hidden = BooleanField(_l("Hide the badge on my profile"))

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.zone.description = _l(
            "Your day begins at midnight there. You can change it once a week."
        )
        self.zone.choices = [(name, name.replace("_", " ")) for name in zones()]

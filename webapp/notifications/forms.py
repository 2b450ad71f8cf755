"""The form of a member's preferences."""

from __future__ import annotations

from wtforms import RadioField
from wtforms.fields.choices import SelectChoice

from webapp.core.forms.fields import Form

from .kinds import CHOICES, KINDS


class PreferencesForm(Form):
    """From whom to get notifications: a field for each kind that others cause, by its name."""


for _kind in (kind for kind in KINDS.values() if not kind.about_own):
    _choices = [SelectChoice(value, label) for value, label in CHOICES.items()]
    setattr(PreferencesForm, _kind.name, RadioField(_kind.label, choices=_choices))

"""The form of a member's preferences."""

from __future__ import annotations

from wtforms import SelectField
from wtforms.fields.choices import SelectChoice

from webapp.core.forms.fields import Form

from .kinds import CHOICES, KINDS


class PreferencesForm(Form):
    """From whom to get notifications: a field for each kind that others cause, by its name."""

    @property
    def sources(self) -> dict[str, str]:
        """Return the chosen source of each of these kinds."""
        return {kind: self[kind].data for kind in KINDS if kind in self}


for _kind in (kind for kind in KINDS.values() if not kind.about_own):
    _choices = [SelectChoice(value, label) for value, label in CHOICES.items()]
    setattr(PreferencesForm, _kind.name, SelectField(_kind.label, choices=_choices))

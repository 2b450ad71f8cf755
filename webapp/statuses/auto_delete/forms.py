"""The form of automatic deletion."""

from __future__ import annotations

from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel import ngettext
from wtforms import BooleanField, HiddenField, SelectField

from webapp.core.forms.fields import Form

from .store import AGES, KINDS, Rule


class AutoDeleteForm(Form):
    """The age at which posts are deleted, and which of them stay.

    `confirmed`: the packed rule that the member was asked about.
    """

    days = SelectField(_l("Delete my posts and replies"))
    pinned = BooleanField(_l("Keep posts pinned to my profile"))
    bookmarked = BooleanField(_l("Keep posts I’ve bookmarked"))
    liked = BooleanField(_l("Keep posts I’ve liked"))
    media = BooleanField(_l("Keep posts with pictures or polls"))
    confirmed = HiddenField()

    def __init__(self, rule: Rule | None) -> None:
        kept = rule.kept if rule else {"pinned"}
        values: dict[str, Any] = {kind: kind in kept for kind in KINDS}
        super().__init__(days=str(rule.days) if rule else "", **values)
        ages = [
            (str(days), ngettext("After %(num)d day", "After %(num)d days", days)) for days in AGES
        ]
        self.days.choices = [("", _("Never")), *ages]

    @property
    def rule(self) -> Rule | None:
        """Return the rule of a valid form, None to delete nothing."""
        kept = frozenset(kind for kind in KINDS if self[kind].data)
        return Rule(int(self.days.data), kept) if self.days.data else None

"""The form of a filter of words."""

from __future__ import annotations

import time
from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, RadioField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, ValidationError

from ..forms import Form, line
from .filters import PLACES, WORDS_MAX, Filter

PLACE_WORDS = {
    "home": _l("Home and lists"),
    "public": _l("Public pages and tags"),
    "profile": _l("Profiles"),
    "thread": _l("Replies below a post"),
    "notifications": _l("Notifications"),
}
ACTS = {"warn": _l("Fold them up, and say why"), "hide": _l("Leave them out")}
HOUR, DAY = 3_600, 86_400
LASTS = {"hour": HOUR, "day": DAY, "week": 7 * DAY, "month": 30 * DAY}  # seconds


class FilterForm(Form):
    """Words not to be read. Once valid, `filter(number)` is the filter; `kept`: until when the one that is changed
    holds, unix seconds, which it may go on to.
    """

    words = StringField(
        _l("Words"), [InputRequired(_l("Write the words to look for."))], render_kw={"autocomplete": "off"}
    )
    whole = BooleanField(_l("Only as whole words"), default=True)
    home = BooleanField(PLACE_WORDS["home"], default=True)
    public = BooleanField(PLACE_WORDS["public"], default=True)
    profile = BooleanField(PLACE_WORDS["profile"], default=True)
    thread = BooleanField(PLACE_WORDS["thread"], default=True)
    notifications = BooleanField(PLACE_WORDS["notifications"], default=True)
    lasts = SelectField(_l("How long"))
    act = RadioField(
        _l("What to do with posts that have them"),
        choices=[SelectChoice(act, label) for act, label in ACTS.items()],
        default="warn",
    )

    def __init__(self, *args: Any, kept: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kept = kept
        spans = [("hour", _("One hour")), ("day", _("One day")), ("week", _("One week")), ("month", _("30 days"))]
        ongoing = [("kept", _("As it was"))] if kept else []
        times = [*ongoing, ("always", _("Until I delete it")), *spans]
        self.lasts.choices = [SelectChoice(value, label) for value, label in times]

    @classmethod
    def of(cls, one: Filter) -> FilterForm:
        """The form of a filter that there is."""
        where = {place: place in one.where for place in PLACES}
        said = {"words": one.words, "whole": one.whole, "act": "hide" if one.hide else "warn", "lasts": "kept"}
        return cls(formdata=None, data=said | where, kept=one.until)

    @property
    def places(self) -> list[BooleanField]:
        """The places where it may hold."""
        return [self[place] for place in PLACES]

    def filter(self, number: int = 0) -> Filter:
        """What it says."""
        where = tuple(place for place in PLACES if self[place].data)
        until = self.kept if self.lasts.data == "kept" else 0
        if self.lasts.data in LASTS:
            until = int(time.time()) + LASTS[self.lasts.data]
        return Filter(self.words.data, self.whole.data, where, until, self.act.data == "hide", number)

    def validate_words(self, field: StringField) -> None:
        """One line that shows something."""
        field.data = line(field.data, WORDS_MAX)
        if not field.data.strip():
            raise ValidationError(_("Write the words to look for."))

    def validate_notifications(self, field: BooleanField) -> None:
        """Comes last of the places: one of them is needed."""
        if not any(place.data for place in self.places):
            raise ValidationError(_("Choose at least one place."))

"""The form of a word filter."""

from __future__ import annotations

import time
from typing import Any

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import BooleanField, HiddenField, RadioField, SelectField, TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import InputRequired, ValidationError

from webapp.core.errors import Conflict
from webapp.core.forms.fields import Form, normalize_line

from .filter_set import CONTEXTS, Filter
from .store import PHRASES_MAX, WORDS_MAX, version_of

CONTEXT_LABELS = {
    "home": _l("Home and lists"),
    "public": _l("Explore and hashtags"),
    "profile": _l("Profiles"),
    "thread": _l("Replies below a post"),
    "notifications": _l("Notifications"),
}
ACTION_LABELS = {"warn": _l("Collapse them and show why"), "hide": _l("Hide them")}
HOUR, DAY = 3_600, 86_400
DURATIONS = {"hour": HOUR, "day": DAY, "week": 7 * DAY, "month": 30 * DAY}  # seconds


class FilterForm(Form):
    """A word filter. Once valid, `changing(filter_)` returns it.

    `version`: of the filter that the form shows; "" changes any. `current_expiry`: when the filter
    that is changed expires, in unix seconds, 0 for never.
    """

    words = TextAreaField(
        _l("Words or phrases"),
        [InputRequired(_l("Enter the words to filter."))],
        description=_l("One a line. A post is filtered if it contains any of them."),
        render_kw={"rows": 3},
    )
    whole = BooleanField(_l("Whole words only"), default=True)
    home = BooleanField(CONTEXT_LABELS["home"], default=True)
    public = BooleanField(CONTEXT_LABELS["public"], default=True)
    profile = BooleanField(CONTEXT_LABELS["profile"], default=True)
    thread = BooleanField(CONTEXT_LABELS["thread"], default=True)
    notifications = BooleanField(CONTEXT_LABELS["notifications"], default=True)
    expires_in = SelectField(_l("How long"))
    filter_action = RadioField(
        _l("What to do with matching posts"),
        choices=[SelectChoice(action, label) for action, label in ACTION_LABELS.items()],
        default="warn",
    )
    version = HiddenField()

    def __init__(self, *args: Any, current_expiry: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.current_expiry = current_expiry
        durations = [
            ("hour", _("One hour")),
            ("day", _("One day")),
            ("week", _("One week")),
            ("month", _("30 days")),
        ]
        keep_current = [("unchanged", _("Keep the current expiry"))] if current_expiry else []
        options = [*keep_current, ("always", _("Until I delete it")), *durations]
        self.expires_in.choices = [SelectChoice(value, label) for value, label in options]

    @classmethod
    def from_filter(cls, filter_: Filter) -> FilterForm:
        """Return the form of an existing filter."""
        contexts = {place: place in filter_.contexts for place in CONTEXTS}
        values = {
            "words": filter_.words,
            "whole": filter_.whole_word,
            "filter_action": "hide" if filter_.hide else "warn",
            "expires_in": "unchanged",
            "version": version_of(filter_),
        }
        return cls(data=values | contexts, current_expiry=filter_.expires_at)

    @property
    def contexts(self) -> list[BooleanField]:
        """Return the fields of the contexts."""
        return [self[place] for place in CONTEXTS]

    def changing(self, earlier: Filter) -> Filter:
        """Return the filter of a valid form, from what is stored of it.

        Raises Conflict, once, if that has changed since the form was shown.
        """
        shown, self.version.data = self.version.data, version_of(earlier)
        if shown and shown != self.version.data:
            raise Conflict("filter_changed")
        contexts = tuple(place for place in CONTEXTS if self[place].data)
        expires_at = self.current_expiry if self.expires_in.data == "unchanged" else 0
        if self.expires_in.data in DURATIONS:
            expires_at = int(time.time()) + DURATIONS[self.expires_in.data]
        hides = self.filter_action.data == "hide"
        fields = (self.words.data, self.whole.data, contexts, expires_at, hides, earlier.number)
        return Filter(*fields).changed_from(earlier)

    def validate_words(self, field: TextAreaField) -> None:
        """Require 1 to PHRASES_MAX lines that are not blank, each once."""
        lines = (normalize_line(line, WORDS_MAX) for line in field.data.splitlines())
        phrases = list(dict.fromkeys(filter(None, lines)))
        if not phrases:
            raise ValidationError(_("Enter the words to filter."))
        if len(phrases) > PHRASES_MAX:
            raise ValidationError(
                _("A filter can have up to %(num)d words or phrases.", num=PHRASES_MAX)
            )
        field.data = "\n".join(phrases)

    def validate_notifications(self, field: BooleanField) -> None:
        """Require a context. This is the last of them."""
        if not any(place.data for place in self.contexts):
            raise ValidationError(_("Choose where to filter."))

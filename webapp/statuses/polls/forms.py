"""The part of a post's form that asks a poll."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from flask_babel import gettext as _, lazy_gettext as _l, ngettext
from flask_babel.speaklater import LazyString
from wtforms import BooleanField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.core.forms.fields import LazySubform, normalize_line
from webapp.core.text.cleaning import clean_line
from webapp.statuses.values.poll import (
    DURATIONS_MINUTES,
    MINUTES_MAX,
    MINUTES_MIN,
    OPTION_MAX,
    OPTIONS_MAX,
    OPTIONS_MIN,
    Poll,
)

OPTION_FIELDS = tuple(f"option{number}" for number in range(1, OPTIONS_MAX + 1))
FIELD_NAMES = (*OPTION_FIELDS, "poll_minutes", "poll_multiple")  # as drafts keep them
DEFAULT_MINUTES = 1_440  # minutes
OPTION_ATTRIBUTES = {"autocomplete": "off", "maxlength": OPTION_MAX, "dir": "auto"}


def format_duration(minutes: int) -> str:
    """Return a duration in the largest unit of which it is a multiple."""
    if minutes % 1_440 == 0:
        return str(ngettext("%(num)d day", "%(num)d days", minutes // 1_440))
    if minutes % 60 == 0:
        return str(ngettext("%(num)d hour", "%(num)d hours", minutes // 60))
    return str(ngettext("%(num)d minute", "%(num)d minutes", minutes))


def _duration_choice(minutes: int) -> SelectChoice:
    return SelectChoice(str(minutes), LazyString(format_duration, minutes))


DURATION_CHOICES = [_duration_choice(minutes) for minutes in DURATIONS_MINUTES]


def _minutes(text: str | None) -> int:
    """Return how long a poll is to last, 0 if it may not last so long."""
    minutes = int(text) if text and text.isdecimal() and len(text) < 6 else 0
    return minutes if MINUTES_MIN <= minutes <= MINUTES_MAX else 0


class PollForm(LazySubform):
    """The fields of a poll, all optional. Once valid, `poll` holds it, if there is one."""

    UNTOUCHED: ClassVar = {**dict.fromkeys(FIELD_NAMES, ""), "poll_minutes": str(DEFAULT_MINUTES)}

    option1 = StringField(_l("Answer 1"), render_kw=OPTION_ATTRIBUTES)
    option2 = StringField(_l("Answer 2"), render_kw=OPTION_ATTRIBUTES)
    option3 = StringField(_l("Answer 3 (optional)"), render_kw=OPTION_ATTRIBUTES)
    option4 = StringField(_l("Answer 4 (optional)"), render_kw=OPTION_ATTRIBUTES)
    poll_multiple = BooleanField(_l("People can choose several answers"))
    poll_minutes = SelectField(
        _l("Duration"), choices=DURATION_CHOICES, default=str(DEFAULT_MINUTES)
    )
    poll: Poll | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.options = [getattr(self, name) for name in OPTION_FIELDS]
        minutes = _minutes(self.poll_minutes.data)
        if minutes and minutes not in DURATIONS_MINUTES:  # an app has chosen it
            self.poll_minutes.choices = [*DURATION_CHOICES, _duration_choice(minutes)]

    def validate(self, extra_validators: Any = None) -> bool:
        """Validate the fields. What is wrong with an answer is said at that answer."""
        return bool(super().validate(extra_validators)) and not self._has_wrong_option()

    def validate_poll_minutes(self, field: SelectField) -> None:
        """Require two different answers if there is any, and no pictures. Comes last."""
        cleaned = [self._clean_option(option) for option in self.options]
        if not any(cleaned) or self._has_wrong_option():
            return
        self._check_options(cleaned)
        if self.parent_form["pictures"].data:
            raise ValidationError(
                _("A post can have pictures or a poll, not both. Remove one of them.")
            )
        if minutes := _minutes(field.data):
            options = tuple(option for option in cleaned if option)
            self.poll = Poll(options, minutes, bool(self.poll_multiple.data))

    def _has_wrong_option(self) -> bool:
        return any(option.errors for option in self.options)

    def _clean_option(self, option: StringField) -> str:
        try:
            option.data = normalize_line(option.data, OPTION_MAX)
        except ValidationError as error:
            option.errors = list(error.args)
        return str(option.data or "")

    def _check_options(self, cleaned: Sequence[str]) -> None:
        """Say at an answer that it repeats an earlier one, or at the first empty one: add it."""
        for index, (option, text) in enumerate(zip(self.options, cleaned, strict=True)):
            if text and text in cleaned[:index]:
                option.errors = [_("This is the same as another answer.")]
        if len([text for text in cleaned if text]) < OPTIONS_MIN:
            self.options[cleaned.index("")].errors = [
                _("A poll needs at least two answers. Leave them all empty for no poll.")
            ]


def poll_from_fields(fields: Mapping[str, str]) -> Poll | None:
    """Parse the poll of a draft's fields. Raises ValueError or Unacceptable if it is not valid."""
    options = [
        option for name in OPTION_FIELDS if (option := clean_line(fields.get(name, ""), OPTION_MAX))
    ]
    if not options:
        return None
    minutes = _minutes(fields.get("poll_minutes", str(DEFAULT_MINUTES)))
    if len(options) < OPTIONS_MIN or len(set(options)) < len(options) or not minutes:
        raise ValueError(options)
    return Poll(tuple(options), minutes, bool(fields.get("poll_multiple")))

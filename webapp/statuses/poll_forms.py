"""The part of a post's form that asks a poll."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel import ngettext
from flask_babel.speaklater import LazyString
from wtforms import BooleanField, SelectField, StringField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from ..forms import Part, line
from ..text import clean_line
from .polls import MINUTES, OPTION_MAX, OPTIONS_MAX, OPTIONS_MIN, Poll

OPTIONS = tuple(f"option{number}" for number in range(1, OPTIONS_MAX + 1))
NAMES = (*OPTIONS, "poll_minutes", "poll_multiple")  # of the fields, as drafts keep them
USUAL = 1_440  # minutes
ONCE = {"autocomplete": "off", "maxlength": OPTION_MAX, "dir": "auto"}


def lasting(minutes: int) -> str:
    """So many minutes in the largest unit that fits."""
    if minutes >= 1_440:
        return str(ngettext("%(num)d day", "%(num)d days", minutes // 1_440))
    if minutes >= 60:
        return str(ngettext("%(num)d hour", "%(num)d hours", minutes // 60))
    return str(ngettext("%(num)d minute", "%(num)d minutes", minutes))


LASTING = [SelectChoice(str(minutes), LazyString(lasting, minutes)) for minutes in MINUTES]


class PollForm(Part):
    """The fields of a poll, of which none need be filled in: part of a form that has pictures. Once valid, `poll` is
    what they ask, if anything.
    """

    LEFT: ClassVar = {**dict.fromkeys(NAMES, ""), "poll_minutes": str(USUAL)}

    option1 = StringField(_l("Answer 1"), render_kw=ONCE)
    option2 = StringField(_l("Answer 2"), render_kw=ONCE)
    option3 = StringField(_l("Answer 3, if you like"), render_kw=ONCE)
    option4 = StringField(_l("Answer 4, if you like"), render_kw=ONCE)
    poll_multiple = BooleanField(_l("Several answers may be chosen"))
    poll_minutes = SelectField(_l("How long it runs"), choices=LASTING, default=str(USUAL))
    poll: Poll | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.options = [getattr(self, name) for name in OPTIONS]

    def validate_poll_minutes(self, field: SelectField) -> None:
        """Two answers at least where there is one, each another one, and no pictures. Comes after the answers."""
        given = [self._cleaned(option) for option in self.options]
        options = [option for option in given if option]
        if not options or any(option.errors for option in self.options):
            return
        if len(options) < OPTIONS_MIN:
            raise ValidationError(_("A poll needs at least two answers. Or leave all of them empty."))
        if len(set(options)) < len(options):
            raise ValidationError(_("Two of the answers are the same. Each must be another one."))
        if self.whole["pictures"].data:
            raise ValidationError(_("A post has pictures or a poll, not both. Take one of them away."))
        if (field.data or "").isdecimal() and int(field.data) in MINUTES:
            self.poll = Poll(tuple(options), int(field.data), bool(self.poll_multiple.data))

    def _cleaned(self, option: StringField) -> str:
        try:
            option.data = line(option.data, OPTION_MAX)
        except ValidationError as error:
            option.errors = list(error.args)
            raise ValidationError(_("One of the answers is too long.")) from None
        return str(option.data)


def of_fields(fields: Mapping[str, str]) -> Poll | None:
    """The poll in fields that were kept. Raises ValueError, Unacceptable where they ask none that could be posted."""
    options = [option for name in OPTIONS if (option := clean_line(fields.get(name, ""), OPTION_MAX))]
    if not options:
        return None
    minutes = int(fields.get("poll_minutes", USUAL))
    if len(options) < OPTIONS_MIN or len(set(options)) < len(options) or minutes not in MINUTES:
        raise ValueError(options)
    return Poll(tuple(options), minutes, bool(fields.get("poll_multiple")))

"""The text of a message as a form has it, and choices."""

from collections.abc import Iterable
from typing import Any

from flask_babel import gettext as _, lazy_gettext as _l, ngettext
from wtforms import TextAreaField
from wtforms.fields.choices import SelectChoice
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form
from webapp.core.text.parser import EMPTY, Parsed, Unacceptable
from webapp.core.web import config

from .message_text import parse_message


class TextForm(Form):
    """The text of a message. `parsed` holds it once the form is valid."""

    text = TextAreaField(_l("Message"))
    parsed: Parsed = EMPTY

    def validate_text(self, field: TextAreaField) -> None:
        """Parse the text. Raises ValidationError if it is empty, too long or not allowed."""
        max_length = config().chat_message_max
        try:
            self.parsed = parse_message(field.data or "", max_length, self.requires_text())
        except Unacceptable as error:
            raise ValidationError(_error_message(error, max_length)) from None

    def requires_text(self) -> bool:
        """Return True if the text must not be empty."""
        return True


def choices(pairs: Iterable[tuple[Any, Any]]) -> list[SelectChoice]:
    """Return the choices of a field, from values and labels."""
    return [SelectChoice(value, label) for value, label in pairs]


def _error_message(error: Unacceptable, max_length: int) -> str:
    if error.reason == "empty":
        return str(_("Write something first."))
    if error.reason == "forbidden":
        return str(_("The text contains characters that can’t be posted."))
    excess = max(error.weight - max_length, 1)
    return str(
        ngettext(
            "That’s %(num)d character too long.", "That’s %(num)d characters too long.", excess
        )
    )

"""The form fields that new and edited statuses share: text and content warning."""

from typing import Any

from flask_babel import lazy_gettext as _l, ngettext
from wtforms import StringField, TextAreaField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import Form, cleaned, normalize_line
from webapp.core.store.servers.greenlets import pause
from webapp.core.text.parser import Parsed, Unacceptable, parse
from webapp.core.web import config


class TextForm(Form):
    """The text of a status. Once valid, `parsed` holds it."""

    text = TextAreaField(_l("What’s happening?"))
    # Its limit takes nothing from the text's.
    cw = StringField(
        _l("Warning"), [cleaned(normalize_line, "cw_max")], render_kw={"autocomplete": "off"}
    )
    parsed: Parsed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max_characters = config().status_max
        self.text.description = _l(
            "Up to %(num)d characters. A link counts as 23.", num=self.max_characters
        )

    @property
    def prefix(self) -> str:
        """Return the prefix of its fields' names, "" unless it is part of another form."""
        return str(self._prefix)

    def validate_text(self, field: TextAreaField) -> None:
        """Parse the text. Its length is weighed as twitter-text does."""
        self.parse_text(field)

    def parse_text(self, field: TextAreaField, is_required: bool = True) -> None:
        """Parse the text into `parsed`. Raises ValidationError."""
        pause()
        try:
            self.parsed = parse(field.data or "", self.max_characters, is_required)
        except Unacceptable as error:
            raise ValidationError(text_problem(error, self.max_characters)) from None


def text_problem(error: Unacceptable, limit: int) -> str:
    """Say why the text of a status is refused. `limit`: the weight of the longest one."""
    if error.reason == "empty":
        return str(_l("Write something first."))
    if error.reason == "forbidden":
        return str(_l("The text contains characters that can’t be posted."))
    return str(
        ngettext(
            "That’s %(num)d character too long.",
            "That’s %(num)d characters too long.",
            (error.weight or limit + 1) - limit,
        )
    )

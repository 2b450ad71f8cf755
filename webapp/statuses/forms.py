"""The form of a post."""

from __future__ import annotations

import re
import secrets
from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel import ngettext
from wtforms import HiddenField, TextAreaField
from wtforms.validators import ValidationError

from ..app import config
from ..forms import Form
from ..text import Parsed, Unacceptable, parse

KEY = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")


class PostForm(Form):
    """A status to post. `key` is made with the form: the same one twice with the same text posts once. Once valid,
    `parsed` is the status.
    """

    text = TextAreaField(_l("What is happening?"))
    key = HiddenField()
    parsed: Parsed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.max = config().status_max
        self.text.description = _("%(num)d characters; a link counts 23.", num=self.max)
        if not KEY.match(self.key.data or ""):
            self.key.data = secrets.token_urlsafe(12)

    def validate_text(self, field: TextAreaField) -> None:
        """Something, and not too much of it, as twitter-text weighs it."""
        try:
            self.parsed = parse(field.data or "", self.max)
        except Unacceptable as error:
            raise ValidationError(self._sentence(error)) from None

    def _sentence(self, error: Unacceptable) -> str:
        if error.reason == "empty":
            return str(_l("Write something first."))
        if error.reason == "forbidden":
            return str(_l("The text holds characters that cannot be posted."))
        over = (error.weight or self.max + 1) - self.max
        return str(ngettext("That is %(num)d character too long.", "That is %(num)d characters too long.", over))

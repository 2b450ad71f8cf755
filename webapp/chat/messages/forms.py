"""Forms for messages: sending, editing and reacting."""

from collections.abc import Sequence

from flask import request
from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, StringField
from wtforms.validators import ValidationError

from webapp.chat.forms import TextForm
from webapp.chat.message_text import parse_emoji
from webapp.core.forms.fields import Form
from webapp.core.forms.idempotency import IdempotentForm

from .uploads import clean_alt


class MessageForm(IdempotentForm, TextForm):
    """A message to send: text, pictures or a shared status. `reply` and `status` are ids."""

    reply = HiddenField()
    status = HiddenField()
    has_pictures = False

    def requires_text(self) -> bool:
        """Return True if the message has neither a picture nor a status."""
        return not (self.has_pictures or self.status.data)


class EditForm(TextForm):
    """A new text for a message, and descriptions of its pictures.

    `keep_text`: set if the form is too late for the text.
    """

    keep_text = HiddenField()
    alts: Sequence[str] = ()

    def __init__(self, **values: str) -> None:
        super().__init__(**values)
        if self.is_submitted():
            self.alts = [clean_alt(alt) for alt in request.form.getlist("alt")]

    def requires_text(self) -> bool:
        """Return True for a message without pictures."""
        return not self.alts

    @property
    def new_text(self) -> str | None:
        """Return the text of a valid form, None if it stays."""
        return None if self.keep_text.data else self.parsed.text


class ReactForm(Form):
    """A reaction: one emoji. Once valid, it is in its fully qualified form."""

    emoji = StringField(_l("Emoji"), render_kw={"autocomplete": "off"})

    def validate_emoji(self, field: StringField) -> None:
        """Require one emoji and nothing else."""
        emoji = parse_emoji(field.data or "")
        if emoji is None:
            raise ValidationError(_("That isn’t an emoji. Choose one emoji."))
        field.data = emoji

"""The form of a private note."""

from __future__ import annotations

from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import TextAreaField

from webapp.core.forms.fields import Form, normalize_text

from .store import NOTE_MAX


class NoteForm(Form):
    """A note about a member."""

    note = TextAreaField(_l("Note"), render_kw={"rows": "4"})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.note.description = _(
            "At most %(num)d characters. To remove the note, leave this empty.", num=NOTE_MAX
        )

    def validate_note(self, field: TextAreaField) -> None:
        """Normalize the note, which may be empty. Raises ValidationError."""
        field.data = normalize_text(field.data, NOTE_MAX)

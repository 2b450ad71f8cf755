"""The form of a private note."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import TextAreaField

from webapp.core.forms.fields import Form, cleaned, normalize_text

from .store import NOTE_MAX


class NoteForm(Form):
    """A note about a member."""

    note = TextAreaField(
        _l("Note"),
        [cleaned(normalize_text, NOTE_MAX)],
        description=_l(
            "At most %(num)d characters. To remove the note, leave this empty.", num=NOTE_MAX
        ),
        render_kw={"rows": "4"},
    )

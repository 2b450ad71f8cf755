"""The form of a member's own invitation."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import StringField

from webapp.core.forms.fields import Form, normalize_line

from .invites import NOTE_MAX


class OwnInviteForm(Form):
    """A note to remember who an invitation is for."""

    note = StringField(
        _l("Note (optional)"),
        description=_l("For example who it is for. The person you invite doesn’t see it."),
        render_kw={"autocomplete": "off", "maxlength": str(NOTE_MAX)},
    )

    def validate_note(self, field: StringField) -> None:
        """Clean the note. Raises ValidationError."""
        field.data = normalize_line(field.data, NOTE_MAX)

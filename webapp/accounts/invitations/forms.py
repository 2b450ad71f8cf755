"""The form of a member's own invitation."""

from flask_babel import lazy_gettext as _l
from wtforms import StringField

from webapp.core.forms.fields import Form, cleaned, normalize_line

from .invites import NOTE_MAX


class OwnInviteForm(Form):
    """A note to remember who an invitation is for."""

    note = StringField(
        _l("Note (optional)"),
        [cleaned(normalize_line, NOTE_MAX)],
        description=_l("For example who it is for. The person you invite doesn’t see it."),
        render_kw={"autocomplete": "off", "maxlength": str(NOTE_MAX)},
    )

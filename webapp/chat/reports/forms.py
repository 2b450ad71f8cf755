"""The form of a report."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, TextAreaField

from webapp.core.forms.fields import Form, normalize_text

from .store import REASON_MAX


class ReportForm(Form):
    """Why something is reported. `message` is a message id, empty for the whole chat."""

    message = HiddenField()
    reason = TextAreaField(_l("What is wrong with it?"), render_kw={"rows": "3"})

    def validate_reason(self, field: TextAreaField) -> None:
        """Normalize the reason, which may be empty."""
        field.data = normalize_text(field.data, REASON_MAX)

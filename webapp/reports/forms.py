"""The form of a report."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import TextAreaField

from webapp.core.forms.fields import Form, normalize_text

from .store import REASON_MAX


class ReportForm(Form):
    """Why something is reported."""

    reason = TextAreaField(_l("What’s wrong?"), render_kw={"rows": "3"})

    def validate_reason(self, field: TextAreaField) -> None:
        """Normalize the reason, which may be empty."""
        field.data = normalize_text(field.data, REASON_MAX)

"""The form that reports a message or a chat."""

from __future__ import annotations

from wtforms import HiddenField

from webapp.reports import forms


class ReportForm(forms.ReportForm):
    """Why something is reported. `message` is a message id, empty for the whole chat."""

    message = HiddenField()

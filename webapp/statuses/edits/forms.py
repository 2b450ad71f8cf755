"""The form that edits a status."""

from __future__ import annotations

from wtforms import HiddenField

from webapp.statuses.compose.text_form import TextForm


class EditForm(TextForm):
    """A new text for a status. `version`: the `Status.version` that the edit is written on."""

    version = HiddenField()

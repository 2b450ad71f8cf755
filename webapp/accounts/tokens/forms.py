"""The forms for a new access token and a new app."""

from __future__ import annotations

from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import InputRequired

from webapp.accounts.sessions.password_proof import ProofForm
from webapp.core.forms.fields import normalize_name

NAME_MAX = 50  # characters


class TokenForm(ProofForm):
    """A name for a new access token."""

    name = StringField(
        _l("Token name"),
        [InputRequired(_l("Enter a name for the token."))],
        render_kw={"autocomplete": "off"},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.name.description = _("What it’s for, so you recognize it later.")

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        field.data = normalize_name(field.data, NAME_MAX, _("Enter a name for the token."))


class AppForm(ProofForm):
    """A name for a new app."""

    name = StringField(
        _l("App name"),
        [InputRequired(_l("Enter a name for the app."))],
        id="app-name",  # the form for tokens is on the same page
        description=_l("So you recognize it later."),
        render_kw={"autocomplete": "off"},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.current_password:
            self.current_password.id = "app-password"

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        field.data = normalize_name(field.data, NAME_MAX, _("Enter a name for the app."))

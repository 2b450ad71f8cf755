"""The forms for a new access token and a new app."""

from __future__ import annotations

from typing import Any

from flask_babel import lazy_gettext as _l
from wtforms import SelectField, StringField
from wtforms.fields.choices import SelectChoice

from webapp.accounts.sessions.password_proof import ProofForm
from webapp.core.forms.fields import needed, normalize_name

NAME_MAX = 50  # characters
NO_END = "never"
LIFETIMES = (
    SelectChoice("7", _l("7 days")),
    SelectChoice("30", _l("30 days")),
    SelectChoice("90", _l("90 days")),
    SelectChoice(NO_END, _l("No end")),
)


class TokenForm(ProofForm):
    """A name for a new access token, and when it ends."""

    name = StringField(
        _l("Token name"),
        needed(normalize_name, NAME_MAX, _l("Enter a name for the token.")),
        description=_l("What it’s for, so you recognize it later."),
        render_kw={"autocomplete": "off"},
    )
    lifetime = SelectField(_l("Valid for"), choices=LIFETIMES, default="90")

    @property
    def seconds(self) -> int | None:
        """Return how long the token lives, None without an end."""
        return None if self.lifetime.data == NO_END else int(self.lifetime.data) * 86_400


class AppForm(ProofForm):
    """A name for a new app."""

    name = StringField(
        _l("App name"),
        needed(normalize_name, NAME_MAX, _l("Enter a name for the app.")),
        id="app-name",  # the form for tokens is on the same page
        description=_l("So you recognize it later."),
        render_kw={"autocomplete": "off"},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.current_password:
            self.current_password.id = "app-password"

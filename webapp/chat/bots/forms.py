"""The forms of a member's bots."""

from typing import Any

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts.forms import DISPLAY_NAME, clean_login
from webapp.accounts.sessions.password_proof import ProofForm
from webapp.core.forms.fields import Form, needed, normalize_name
from webapp.core.net.safe_http import URL_MAX, parse_url

TOKEN_NAME_MAX = 50  # characters


class NameForm(Form):
    """The name of a bot."""

    name = StringField(_l("Name"), DISPLAY_NAME, render_kw={"autocomplete": "off"})


class BotForm(NameForm, ProofForm):
    """A new bot."""

    login = StringField(
        _l("Bot username"),
        [InputRequired(_l("Choose a username.")), clean_login],
        description=_l(
            "1 to 15 letters, digits or _, such as weather_bot. You can’t change it later."
        ),
        render_kw={
            "autocomplete": "off",
            "autocapitalize": "none",
            "spellcheck": "false",
            "maxlength": "15",
        },
    )


class BotTokenForm(ProofForm):
    """A name for a new access token of a bot."""

    token = StringField(
        _l("Token name"),
        needed(normalize_name, TOKEN_NAME_MAX, _l("Enter a name for the token.")),
        render_kw={"autocomplete": "off"},
    )


class WebhookForm(ProofForm):
    """The address of a bot's webhook. It gets the bot's messages and may answer as the bot."""

    url = StringField(
        _l("Address"),
        [InputRequired(_l("Enter the address."))],
        description=_l(
            "Your program’s address for POST requests. It should start with https:// or http://."
        ),
        render_kw={
            "autocomplete": "off",
            "inputmode": "url",
            "placeholder": "https://",
            "maxlength": str(URL_MAX),
        },
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.current_password:
            self.current_password.id = "webhook-password"  # the form for tokens is on the same page

    def validate_url(self, field: StringField) -> None:
        """Require an address that a request can go to."""
        field.data = (field.data or "").strip()
        if parse_url(field.data) is None:
            raise ValidationError(
                _(
                    "Requests can’t be sent to that address. It should start with https:// or"
                    " http://."
                )
            )

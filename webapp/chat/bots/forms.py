"""The forms of a member's bots."""

from __future__ import annotations

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts.forms import clean_display_name, clean_login
from webapp.core.forms.fields import Form
from webapp.core.net.safe_http import URL_MAX, parse_url
from webapp.core.text.cleaning import clean_name
from webapp.core.text.parser import Unacceptable

TOKEN_NAME_MAX = 50  # characters


class NameForm(Form):
    """The name of a bot."""

    name = StringField(
        _l("Name"), [InputRequired(_l("Enter a name."))], render_kw={"autocomplete": "off"}
    )

    def validate_name(self, field: StringField) -> None:
        """Require one line that is not blank."""
        clean_display_name(field)


class BotForm(NameForm):
    """A new bot."""

    login = StringField(
        _l("Login of the bot"),
        [InputRequired(_l("Choose a login."))],
        description=_l("1 to 15 letters, digits or _, such as weather_bot. It cannot be changed."),
        render_kw={
            "autocomplete": "off",
            "autocapitalize": "none",
            "spellcheck": "false",
            "maxlength": "15",
        },
    )

    def validate_login(self, field: StringField) -> None:
        """Check the login as for any account."""
        clean_login(field)


class BotTokenForm(Form):
    """A name for a new access token of a bot."""

    token = StringField(
        _l("Name of the token"),
        [InputRequired(_l("Name the token."))],
        render_kw={"autocomplete": "off"},
    )

    def validate_token(self, field: StringField) -> None:
        """Require one line that is not blank."""
        try:
            field.data = clean_name(field.data or "", TOKEN_NAME_MAX)
        except Unacceptable as error:
            if error.reason == "too_long":
                raise ValidationError(
                    _("At most %(num)d characters.", num=TOKEN_NAME_MAX)
                ) from None
            raise ValidationError(_("Name the token.")) from None


class WebhookForm(Form):
    """The address of a bot's webhook."""

    url = StringField(
        _l("Address"),
        [InputRequired(_l("Enter the address."))],
        description=_l(
            "The address of your program, which answers POST requests. It starts with "
            "https:// or http://."
        ),
        render_kw={
            "autocomplete": "off",
            "inputmode": "url",
            "placeholder": "https://",
            "maxlength": str(URL_MAX),
        },
    )

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

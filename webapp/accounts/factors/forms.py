"""The forms of the second step, and of the way back in for a forgotten password."""

from __future__ import annotations

from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, PasswordField, StringField
from wtforms.validators import InputRequired

from webapp.accounts.passwords.rules import check_password, password_hint
from webapp.accounts.sessions.password_proof import ProofForm
from webapp.core.forms.fields import Form, normalize_name

NAME_MAX = 50  # characters of a passkey's name
CODE_ATTRIBUTES = {
    "autocomplete": "one-time-code",
    "autocapitalize": "none",
    "spellcheck": "false",
    "maxlength": "40",
}


class CodeForm(Form):
    """The code of a sign-in. `challenge`: the token of the sign-in."""

    code = StringField(
        _l("Code"),
        [InputRequired(_l("Enter a code."))],
        description=_l(
            "The 6 digits that your authenticator app shows, or one of your recovery codes."
        ),
        render_kw=CODE_ATTRIBUTES | {"autofocus": True},
    )
    challenge = HiddenField()
    next = HiddenField()


class SetUpForm(ProofForm):
    """The first code of an app. `sealed`: the secret that the page showed, sealed."""

    code = StringField(
        _l("Code"),
        [InputRequired(_l("Enter a code."))],
        description=_l("The 6 digits that the app shows now."),
        render_kw=CODE_ATTRIBUTES | {"inputmode": "numeric"},
    )
    sealed = HiddenField()


class RecoverForm(Form):
    """A login, what proves that it is one's own, and a new password."""

    login = StringField(
        _l("Username"),
        [InputRequired(_l("Enter your username."))],
        render_kw={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"},
    )
    code = StringField(
        _l("Recovery code"),
        [InputRequired(_l("Enter a recovery code."))],
        description=_l("One of the ten codes that you printed or wrote down."),
        render_kw=CODE_ATTRIBUTES | {"autocomplete": "off"},
    )
    app_code = StringField(
        _l("Code from your authenticator app"),
        description=_l("Only if two-step login is on."),
        render_kw=CODE_ATTRIBUTES | {"inputmode": "numeric"},
    )
    password = PasswordField(
        _l("New password"),
        [InputRequired(_l("Choose a password."))],
        render_kw={"autocomplete": "new-password"},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.password.description = password_hint()

    def validate_password(self, field: PasswordField) -> None:
        """Raises ValidationError for a password that is short or easy to guess."""
        check_password(field, self.login.data or "", "")


class CodesForm(ProofForm):
    """New recovery codes. `next`: the page that follows."""

    next = HiddenField()


class PasskeyForm(ProofForm):
    """The name of a new passkey."""

    name = StringField(
        _l("Name of the passkey"),
        [InputRequired(_l("Enter a name for the passkey."))],
        render_kw={"autocomplete": "off", "maxlength": str(NAME_MAX)},
    )

    def validate_name(self, field: StringField) -> None:
        """Clean the name. Raises ValidationError."""
        field.data = normalize_name(field.data, NAME_MAX, _("Enter a name for the passkey."))

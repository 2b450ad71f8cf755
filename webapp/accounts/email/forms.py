"""The forms of e-mail addresses, and of a forgotten password."""

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, StringField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts.passwords.rules import new_password_field
from webapp.accounts.sessions.password_proof import ProofForm
from webapp.core.forms.fields import Form

from .addresses import clean_address

ADDRESS_INPUT = {"type": "email", "autocomplete": "email", "maxlength": "254"}


def name_field() -> StringField:
    """Return the field of a login or an address."""
    return StringField(
        _l("Username or email address"),
        [InputRequired(_l("Enter your username or your email address."))],
        render_kw={"autocomplete": "username", "autocapitalize": "none", "maxlength": "254"},
    )


def check_address(_form: object, field: StringField) -> None:
    """Raise ValidationError for a text that cannot be an address."""
    if not clean_address(field.data or ""):
        raise ValidationError(_("That isn’t an email address."))


class AddressForm(ProofForm):
    """A new address."""

    address = StringField(
        _l("Email address"),
        [InputRequired(_l("Enter an email address.")), check_address],
        render_kw=ADDRESS_INPUT,
    )


class CodeForm(Form):
    """The code of a mail."""

    code = StringField(
        _l("Code from the email"),
        [InputRequired(_l("Enter the code."))],
        render_kw={"inputmode": "numeric", "autocomplete": "one-time-code", "maxlength": "20"},
    )


class ForgotForm(Form):
    """Whose password is forgotten."""

    name = name_field()


class LoginNameForm(Form):
    """Who logs in with a code by mail. `login` is the field of the page with the password too."""

    login = name_field()
    next = HiddenField()


class LoginCodeForm(CodeForm):
    """The code of a log-in."""

    login = HiddenField()
    next = HiddenField()


class ResetForm(Form):
    """A new password, and the token of the link."""

    token = HiddenField()
    password = new_password_field(_l("New password"), has_hint=False)

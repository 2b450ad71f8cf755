"""The forms for signing up and signing in, and the rules for logins and names."""

from typing import Any

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import HiddenField, StringField, TextAreaField
from wtforms.validators import InputRequired, Optional, ValidationError

from webapp.core.forms.fields import Form, needed, normalize_name, normalize_text
from webapp.core.web import config

from .email.forms import ADDRESS_INPUT, check_address
from .passwords.rules import new_password_field, old_password_field
from .store import LOGIN_PATTERN

REASON_MAX = 500  # characters

# Logins that would pass for the site itself.
RESERVED_LOGINS = frozenset(
    """
    about abuse account accounts admin administrator api all anonymous everyone help here home
    info legal linnet login logout mail mod moderator news nobody null official operator owner
    postmaster press privacy public root search security settings signup staff static status
    statuses stream support sysop system team terms undefined webmaster www
    """.split()
)
LOGIN_INPUT = {
    "autocomplete": "username",
    "autocapitalize": "none",
    "spellcheck": "false",
    "maxlength": "15",
}
DISPLAY_NAME = needed(normalize_name, "name_max", _l("Enter a name."))


def clean_login(_form: object, field: StringField) -> None:
    """Clean a new login. Raises ValidationError if it is malformed or reserved."""
    field.data = (field.data or "").strip().removeprefix("@")
    if not LOGIN_PATTERN.match(field.data):
        raise ValidationError(_l("A username has 1 to 15 letters (a to z), digits or underscores."))
    if field.data.lower() in RESERVED_LOGINS:
        raise ValidationError(_l("That username is reserved. Please choose another one."))


class SignUpForm(Form):
    """A new account: a login, a name and a password."""

    login = StringField(
        _l("Username"),
        [InputRequired(_l("Choose a username.")), clean_login],
        description=_l("1 to 15 letters, digits or _. It’s part of your profile’s address."),
        render_kw=LOGIN_INPUT,
    )
    name = StringField(_l("Display name"), DISPLAY_NAME, render_kw={"autocomplete": "name"})
    password = new_password_field(
        _l("Password"), lambda form: (form.login.data or "", form.name.data or "")
    )
    reason = TextAreaField(
        _l("Why do you want to join?"),
        needed(normalize_text, REASON_MAX, _l("Say why you want to join.")),
        description=_l("A moderator reads it before you can log in."),
        render_kw={"rows": "3"},
    )
    address = StringField(
        _l("Email address, if you like"),
        [Optional(), check_address],
        description=_l("We write to it once, when you’re accepted, and then forget it."),
        render_kw=ADDRESS_INPUT,
    )
    invite = HiddenField()
    next = HiddenField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.name.description = _(
            "The name people see. Up to %(num)d characters, in any language.", num=config().name_max
        )
        if config().signup != "approval":
            del self.reason
        if config().signup != "approval" or not config().has_mail:
            del self.address


class LoginForm(Form):
    """A login and a password."""

    login = StringField(
        _l("Username"),
        [InputRequired(_l("Enter your username."))],
        render_kw={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"},
    )
    password = old_password_field(
        _l("Password"), _l("Enter your password."), _l("Wrong username or password.")
    )
    next = HiddenField()

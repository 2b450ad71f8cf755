"""The forms of the second step, and of the way back in for a forgotten password."""

from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, StringField
from wtforms.validators import InputRequired

from webapp.accounts.passwords.rules import new_password_field
from webapp.accounts.sessions.password_proof import ProofForm
from webapp.core.forms.fields import Form, needed, normalize_name

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
    password = new_password_field(_l("New password"), lambda form: (form.login.data or "", ""))


class CodesForm(ProofForm):
    """New recovery codes. `next`: the page that follows."""

    next = HiddenField()


class PasskeyForm(ProofForm):
    """The name of a new passkey."""

    name = StringField(
        _l("Name of the passkey"),
        needed(normalize_name, NAME_MAX, _l("Enter a name for the passkey.")),
        render_kw={"autocomplete": "off", "maxlength": str(NAME_MAX)},
    )

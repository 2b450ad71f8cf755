"""The forms of the second step: signing in with a code, switching it on, and what asks again."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from wtforms import HiddenField, StringField
from wtforms.validators import InputRequired

from webapp.accounts.sessions.password_proof import ProofForm
from webapp.core.forms.fields import Form

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

"""The forms of settings that ask for the password: changing it, and deleting the account."""

from __future__ import annotations

from typing import Any

from flask import g
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, PasswordField
from wtforms.validators import InputRequired

from webapp.accounts.passwords.rules import new_password_field, password_hint, possible_password
from webapp.core.forms.fields import Form

IS_POSSIBLE = possible_password(_l("That’s not your password."))


class PasswordForm(Form):
    """A new password; it asks for the old one."""

    old = PasswordField(
        _l("Current password"),
        [InputRequired(_l("Enter your current password.")), IS_POSSIBLE],
        render_kw={"autocomplete": "current-password"},
    )
    new = new_password_field(_l("New password"), lambda _form: (g.viewer.login, g.viewer.name))
    revoke = BooleanField(
        _l("Also revoke my access tokens, apps, bot tokens and private feed"),
        default=True,
        description=_l("Programs that use them stop working until you give them new ones."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.new.description = password_hint()


class DeleteForm(Form):
    """Deleting the account; it asks for the password."""

    password = PasswordField(
        _l("Password"),
        [InputRequired(_l("Enter your password.")), IS_POSSIBLE],
        render_kw={"autocomplete": "current-password"},
    )

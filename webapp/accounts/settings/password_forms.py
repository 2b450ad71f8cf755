"""The forms of settings that ask for the password: changing it, and deleting the account."""

from __future__ import annotations

from flask import g
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField

from webapp.accounts.passwords.rules import new_password_field, old_password_field
from webapp.core.forms.fields import Form

REFUSAL = _l("That’s not your password.")


class PasswordForm(Form):
    """A new password; it asks for the old one."""

    old = old_password_field(_l("Current password"), _l("Enter your current password."), REFUSAL)
    new = new_password_field(_l("New password"), lambda _form: (g.viewer.login, g.viewer.name))
    revoke = BooleanField(
        _l("Also revoke my access tokens, apps, bot tokens and private feed"),
        default=True,
        description=_l("Programs that use them stop working until you give them new ones."),
    )


class DeleteForm(Form):
    """Deleting the account; it asks for the password."""

    password = old_password_field(_l("Password"), _l("Enter your password."), REFUSAL)

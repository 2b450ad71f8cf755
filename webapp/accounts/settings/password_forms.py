"""The forms of settings that ask for the password: changing it, and deleting the account."""

from __future__ import annotations

from typing import Any

from flask import g
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import BooleanField, PasswordField
from wtforms.validators import InputRequired, ValidationError

from webapp.accounts.passwords.rules import can_be_password, check_password, password_hint
from webapp.core.forms.fields import Form


class PasswordForm(Form):
    """A new password; it asks for the old one."""

    old = PasswordField(
        _l("Current password"),
        [InputRequired(_l("Enter your current password."))],
        render_kw={"autocomplete": "current-password"},
    )
    new = PasswordField(
        _l("New password"),
        [InputRequired(_l("Choose a password."))],
        render_kw={"autocomplete": "new-password"},
    )
    revoke = BooleanField(
        _l("Also revoke my access tokens, apps, bot tokens and private feed"),
        default=True,
        description=_l("Programs that use them stop working until you give them new ones."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.new.description = password_hint()

    def validate_old(self, field: PasswordField) -> None:
        """Raises ValidationError for a text that is not worth hashing."""
        _require_possible_password(field)

    def validate_new(self, field: PasswordField) -> None:
        """Raises ValidationError for a password that is short or easy to guess."""
        check_password(field, g.viewer.login, g.viewer.name)


class DeleteForm(Form):
    """Deleting the account; it asks for the password."""

    password = PasswordField(
        _l("Password"),
        [InputRequired(_l("Enter your password."))],
        render_kw={"autocomplete": "current-password"},
    )

    def validate_password(self, field: PasswordField) -> None:
        """Raises ValidationError for a text that is not worth hashing."""
        _require_possible_password(field)


def _require_possible_password(field: PasswordField) -> None:
    if not can_be_password(field.data or ""):
        raise ValidationError(_("That’s not your password."))

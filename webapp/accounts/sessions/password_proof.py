"""Forms that ask for the password again, unless it was entered a short time ago."""

import time
from typing import Any

from flask import g
from flask_babel import lazy_gettext as _l
from wtforms import PasswordField
from wtforms.validators import ValidationError

from webapp.accounts.passwords.rules import can_be_password
from webapp.core.errors import Invalid
from webapp.core.forms.fields import Form
from webapp.core.store import Read, constant, read
from webapp.core.web import Requester, consume_for_viewer, own_session_cookie, site

from . import credentials
from .cookie_value import sha_of

PROOF_SECONDS = 600  # how long an entered password counts


def recent_proof(requester: Requester, **_: object) -> Read[bool]:
    """Read whether the requester entered their password in this session a short time ago."""
    if not requester.session_key:
        return constant(False)
    oldest = time.time() - PROOF_SECONDS
    return read(
        ("HGET", requester.session_key, "proved"), lambda proved: int(proved or 0) >= oldest
    )


class ProofForm(Form):
    """A form with a field for the password if `proved` is False."""

    current_password = PasswordField(
        _l("Your password"),
        description=_l("Please enter it again: it’s been a while."),
        render_kw={"autocomplete": "current-password"},
    )

    def __init__(self, *args: Any, proved: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # It is the last field of each page. The first refused field gets the focus.
        self._fields["current_password"] = self._fields.pop("current_password")
        if proved:
            del self.current_password

    def validate_current_password(self, field: PasswordField) -> None:
        """Refuse a text that cannot be a password. Raises ValidationError."""
        if not field.data:
            raise ValidationError(_l("Enter your password."))
        if not can_be_password(field.data):
            raise ValidationError(_l("That’s not your password."))

    def prove(self) -> bool:
        """Verify the password if the form asks for it. On False its field has an error.

        Two trips. Raises RateLimited, Conflict.
        """
        field = self.current_password
        if field is None:
            return True
        limit_password_attempts()
        try:
            credentials.prove(site(), g.viewer.uid, field.data, current_session())
        except Invalid as refusal:
            self.refuse(refusal, "current_password")
        return not field.errors

    def is_accepted(self) -> bool:
        """Return True for a form that is valid and has the password, as far as it asks for it."""
        return super().is_accepted() and self.prove()


def current_session() -> str:
    """Return the sha of this request's session."""
    return sha_of(own_session_cookie())


def limit_password_attempts() -> None:
    """Count an attempt at the viewer's password, apart from attempts to sign in."""
    consume_for_viewer("signin_account", bucket="confirm")

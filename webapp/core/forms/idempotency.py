"""Forms that take effect once, even if they are sent several times."""

import re
import secrets
from typing import Any

from wtforms import HiddenField

from .fields import Form

KEY_PATTERN = re.compile(r"[A-Za-z0-9_-]{8,64}\Z")


def new_form_key() -> str:
    """Return a key for a form."""
    return secrets.token_urlsafe(12)


class IdempotentForm(Form):
    """A form with an idempotency `key`: the store remembers what was done with it."""

    key = HiddenField()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not KEY_PATTERN.match(self.key.data or ""):
            self.key.data = new_form_key()

"""The sentences for refused log-ins: wrong passwords, codes and passkeys."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l

SIGN_IN_SENTENCES = {
    **dict.fromkeys(("wrong_code", "used_code"), _l("That code isn’t right, or was used already.")),
    "wrong_recovery": _l(
        "That username and those codes don’t belong together, or a code was used already."
    ),
    "wrong_passkey": _l("That passkey didn’t work, or it took too long. Please try again."),
    "copied_passkey": _l(
        "Someone may have copied this passkey. Log in another way, then remove it in your settings."
    ),
    "passkeys_full": _l("You’ve reached the limit for passkeys. Remove one first."),
    "no_passkeys": _l("Passkeys don’t work at this address."),
    "sign_in_gone": _l("Please log in again: that took too long, or had too many tries."),
    "not_your_password": _l("That’s not your password."),
    "wrong_password": _l("Wrong username or password."),
}

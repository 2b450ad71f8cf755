"""Reading a member's security log. Scripts write it, together with what they change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from flask_babel import lazy_gettext as _l

from webapp.accounts.member import datetime_from_ms
from webapp.core.store import Read, read, to_dict

from . import keys

SENTENCES = {
    "signed_in": _l("Logged in"),
    "failed": _l("Failed to log in"),
    "password": _l("Changed the password"),
    "address": _l("Changed or removed the email address"),
    "renamed": _l("Changed the username"),
    "recovered": _l("Reset the password with a recovery code"),
    "two_step_on": _l("Turned on two-step login"),
    "two_step_off": _l("Turned off two-step login"),
    "code_used": _l("Entered a code of the app that was used before"),
    "codes": _l("Got new recovery codes"),
    "passkey_added": _l("Added a passkey"),
    "passkey_removed": _l("Removed a passkey"),
    "passkey_copied": _l("Refused a passkey that may have been copied"),
    "access_closed": _l("Removed all passkeys, access tokens and apps"),
    "allowed": _l("Allowed an app"),
    "token": _l("Created an access token"),
    "feed": _l("Created a private feed"),
    "app": _l("Created an app"),
    "revoked": _l("Revoked an access token or app"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in a security log. `count`: how often in a row. `agent`: a User-Agent, or ""."""

    at: datetime
    kind: str
    count: int
    agent: str

    @property
    def sentence(self) -> str:
        """Return the event's sentence, in the language of the request."""
        return str(SENTENCES.get(self.kind, self.kind))


def security_log(uid: int) -> Read[list[Entry]]:
    """Read the security log of a member's account, newest first."""
    command = ("XREVRANGE", keys.security_log(uid), "+", "-", "COUNT", 100)
    return read(command, lambda entries: [_parse(*entry) for entry in entries])


def _parse(entry_id: str, flat: Sequence[str]) -> Entry:
    fields = to_dict(flat)
    at = datetime_from_ms(entry_id.partition("-")[0])
    return Entry(at, fields["kind"], int(fields["count"]), fields["agent"])

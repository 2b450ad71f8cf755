"""The page of account security, and what pages need to make and use passkeys."""

from dataclasses import dataclass

from flask import request

from webapp.accounts.passkeys.ceremonies import RelyingParty, relying_party
from webapp.accounts.passkeys.store import Passkey, passkeys
from webapp.accounts.security_log.store import SENTENCES, Entry, security_log
from webapp.accounts.sessions.device_names import device_name
from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Forbidden
from webapp.core.store import Read, gather
from webapp.core.web import Requester, Response, config, no_store_page, private_page

from .forms import NAME_MAX, PasskeyForm
from .store import SecondStep, second_step


@dataclass(frozen=True, slots=True)
class Security:
    """An account's factors and log. `proved`: its member entered the password a short time ago."""

    second_step: SecondStep
    passkeys: list[Passkey]
    log: list[Entry]
    proved: bool


def security(requester: Requester) -> Read[Security]:
    """Read the values of the page."""
    uid = requester.uid or 0
    found = gather(second_step(uid), passkeys(uid), security_log(uid), recent_proof(requester))
    return found.map(lambda parts: Security(*parts))


def security_page(found: Security, form: ProofForm) -> Response:
    """Show the page. `form`: asks for the password, or has errors."""
    passkey_form = form
    if not isinstance(form, PasskeyForm):
        name = device_name(request.headers.get("User-Agent", ""))[:NAME_MAX]
        passkey_form = PasskeyForm(formdata=None, proved=True, name=name)
    return private_page(
        "accounts/factors/index.html",
        form.http_status,
        security=found,
        form=form,
        device_name=device_name,
        has_passkeys=site_party() is not None,
        passkey_form=passkey_form,
    )


def change_note(kind: str) -> str:
    """Return the note of a change for the security log, with the notice for the viewer."""
    return current_device_note("security_changed", what=str(SENTENCES[kind]))


def site_party() -> RelyingParty | None:
    """Return the site as passkeys know it, None where browsers make none."""
    return relying_party(config(), request.host_url)


def passkey_party() -> RelyingParty:
    """Return the site as passkeys know it. Raises Forbidden where browsers make none."""
    return Forbidden.unless(site_party(), "no_passkeys")


def options_page(options: str) -> Response:
    """Return a response with options for a passkey, as JSON."""
    response = no_store_page(options)
    response.content_type = "application/json"
    return response

"""Adding passkeys and removing them, on the page of account security."""

from flask import Blueprint, flash, g, redirect, request, url_for
from flask_babel import gettext as _

from webapp.accounts.passkeys import store as passkeys
from webapp.accounts.sessions.password_proof import ProofForm, current_session, recent_proof
from webapp.core.errors import Forbidden, Refused
from webapp.core.web import Response, consume_for_viewer, done, no_store, prefetch, site

from .forms import PasskeyForm
from .requirement import guard_factors
from .security_page import (
    Security,
    change_note,
    options_page,
    passkey_party,
    security,
    security_page,
)

bp = Blueprint("passkeys", __name__, url_prefix="/settings/security/passkeys")
bp.before_request(guard_factors)
bp.after_request(no_store)


@bp.post("/options")
@prefetch(recent_proof)
def options(proved: bool) -> Response:
    """Return the options for a new passkey, as JSON. Refuse without a recent password."""
    if not proved:
        raise Forbidden("not_your_password")
    consume_for_viewer("token", bucket="passkey_options")
    found = passkeys.begin_registration(site(), passkey_party(), g.viewer)
    return options_page(found)


@bp.post("")
@prefetch(security)
def add(found: Security) -> Response:
    """Store the passkey that the browser has made."""
    form = PasskeyForm(proved=found.proved)

    def add_passkey() -> None:
        name, answer = form.name.data, request.form.get("passkey", "")
        proof = current_session(), change_note("passkey_added")
        passkeys.add(site(), passkey_party(), g.viewer.uid, name, answer, *proof)

    if form.carry_out(add_passkey, refusals=Refused):
        return done(_("Passkey added. You can log in with it."), "second_step.index")
    return security_page(found, form)


@bp.post("/remove")
@prefetch(security)
def remove(found: Security) -> Response:
    """Remove a passkey."""
    form = ProofForm(proved=found.proved)
    if not form.is_accepted():
        return security_page(found, form)
    id_, note = request.form.get("id", ""), change_note("passkey_removed")
    if passkeys.remove(site(), g.viewer.uid, id_, note):
        flash(_("Passkey removed. You can delete it on your device too."))
    return redirect(url_for("second_step.index"), 303)

"""The page of account security in the settings, with two-step login and recovery codes."""

from flask import Blueprint, flash, g, redirect, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.sessions.password_proof import ProofForm, current_session, recent_proof
from webapp.accounts.tokens import access
from webapp.core.errors import Invalid, Refused
from webapp.core.net import encryption
from webapp.core.web import config, consume_for_viewer, db, done, prefetch, safe_path, site
from webapp.core.web.security import no_store, private_page

from . import codes, store
from .forms import CodesForm, SetUpForm
from .requirement import guard_factors
from .security_page import Security, change_note, security, security_page

bp = Blueprint("second_step", __name__, url_prefix="/settings/security")
bp.before_request(guard_factors)
bp.after_request(no_store)


@bp.get("")
@prefetch(security)
def index(found: Security) -> Response:
    """Show what secures the viewer's account."""
    return security_page(found, ProofForm(formdata=None, proved=found.proved))


@bp.post("")
@prefetch(security)
def prove(found: Security) -> Response:
    """Take the password, after which the page offers its changes for some minutes."""
    form = ProofForm(proved=found.proved)
    if not form.is_accepted():
        return security_page(found, form)
    return redirect(url_for("second_step.index"), 303)


@bp.get("/app")
@prefetch(recent_proof)
def set_up(proved: bool) -> Response:
    """Show a new secret for an authenticator app. Nothing is stored yet."""
    return _set_up_page(codes.new_secret(), SetUpForm(formdata=None, proved=proved))


@bp.post("/app")
@prefetch(recent_proof)
def switch_on(proved: bool) -> Response:
    """Switch the second step on, once a code proves that the app has the secret.

    Only this response shows the recovery codes.
    """
    form = SetUpForm(proved=proved)
    secret = encryption.unseal(config(), _set_up_purpose(), form.sealed.data or "")
    if secret is None:
        flash(_("That page was no longer valid. Please scan the new code."))
        return redirect(url_for("second_step.set_up"), 303)
    if not form.validate_on_submit():
        return _set_up_page(secret, form)
    consume_for_viewer("signin_account", bucket="set_up")
    step = codes.matching_step(secret, codes.clean_code(form.code.data))
    if step is None:
        form.refuse(Invalid("bad_code", _("That’s not the code that the app shows now.")), "code")
    if step is None or not form.prove():
        return _set_up_page(secret, form)
    try:
        recovery_codes = store.switch_on(
            site(), g.viewer.uid, secret, step, current_session(), change_note("two_step_on")
        )
    except Refused as refusal:
        return _set_up_page(secret, form.refuse(refusal, "code"))
    return _codes_page(recovery_codes, has_app=True)


@bp.post("/codes")
@prefetch(security)
def replace_codes(found: Security) -> Response:
    """Make new recovery codes. Only this response shows them."""
    form = CodesForm(proved=found.proved)
    if not form.is_accepted():
        return security_page(found, form)
    consume_for_viewer("token", bucket="recovery_codes")
    recovery_codes = store.replace_codes(
        site(), g.viewer.uid, current_session(), change_note("codes")
    )
    return _codes_page(recovery_codes, safe_path(form.next.data), found.second_step.is_on)


@bp.post("/off")
@prefetch(security)
def switch_off(found: Security) -> Response:
    """Switch the second step off."""
    form = ProofForm(proved=found.proved)
    if not form.is_accepted():
        return security_page(found, form)
    if store.switch_off(site(), g.viewer.uid, change_note("two_step_off")):
        flash(_("Two-step login is off. Your recovery codes no longer work: get new ones here."))
    return redirect(url_for("second_step.index"), 303)


@bp.route("/access", methods=["GET", "POST"], endpoint="access")
@prefetch(security)
def show_access(found: Security) -> Response:
    """Show the passkeys, tokens and apps that open the account, and remove them all."""
    form = ProofForm(proved=found.proved)
    if not form.is_accepted():
        tokens, apps = access.listed(db(), g.viewer.uid)
        return private_page(
            "accounts/factors/access.html",
            form.http_status,
            form=form,
            passkeys=found.passkeys,
            tokens=tokens,
            apps=apps,
        )
    access.close(site(), g.viewer.uid, current_session(), change_note("access_closed"))
    return done(_("All removed. Other devices were logged out."), "second_step.index")


def _set_up_purpose() -> str:
    return f"authenticator set-up {g.viewer.uid}"


def _set_up_page(secret: str, form: SetUpForm) -> Response:
    form.sealed.data = encryption.seal(config(), _set_up_purpose(), secret)
    return private_page(
        "accounts/factors/set_up.html",
        form.http_status,
        form=form,
        secret=secret,
        qr_code=codes.qr_code(secret, g.viewer.login, config().site_name),
    )


def _codes_page(
    recovery_codes: list[str], next_path: str | None = None, has_app: bool = False
) -> Response:
    shown = {"codes": recovery_codes, "next_path": next_path, "has_app": has_app}
    return private_page("accounts/factors/codes.html", 201, **shown)

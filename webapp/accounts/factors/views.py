"""The page of account security in the settings, with two-step login and recovery codes."""

from __future__ import annotations

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.sessions.password_proof import ProofForm, current_session, recent_proof
from webapp.core.errors import Refused
from webapp.core.net import encryption
from webapp.core.store.reads import Read, gather
from webapp.core.web.context import config, site
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.redirects import safe_path
from webapp.core.web.security import no_store, no_store_page

from . import codes, store
from .forms import CodesForm, SetUpForm
from .store import SecondStep

bp = Blueprint("second_step", __name__, url_prefix="/settings/security")
bp.after_request(no_store)


def _state(requester: Requester) -> Read[tuple[SecondStep, bool]]:
    return gather(store.second_step(requester.uid or 0), recent_proof(requester))


@bp.get("")
@prefetch(_state)
def index(state: tuple[SecondStep, bool]) -> Response:
    """Show what secures the viewer's account."""
    second_step, proved = state
    return _index_page(second_step, ProofForm(formdata=None, proved=proved))


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
        return _set_up_page(secret, form, 422)
    consume_for_viewer("signin_account", bucket="set_up")
    step = codes.matching_step(secret, codes.clean_code(form.code.data))
    if step is None:
        form.code.errors = [_("That’s not the code that the app shows now.")]
    if step is None or not form.prove():
        return _set_up_page(secret, form, 422)
    try:
        recovery_codes = store.switch_on(site(), g.viewer.uid, secret, step, current_session())
    except Refused as refusal:
        form.code.errors = [str(refusal.sentence)]
        return _set_up_page(secret, form, refusal.status)
    return _codes_page(recovery_codes, has_app=True)


@bp.post("/codes")
@prefetch(_state)
def replace_codes(state: tuple[SecondStep, bool]) -> Response:
    """Make new recovery codes. Only this response shows them."""
    second_step, proved = state
    form = CodesForm(proved=proved)
    if not (form.validate_on_submit() and form.prove()):
        return _index_page(second_step, form, 422)
    consume_for_viewer("token", bucket="recovery_codes")
    recovery_codes = store.replace_codes(site(), g.viewer.uid, current_session())
    return _codes_page(recovery_codes, safe_path(form.next.data), second_step.is_on)


@bp.post("/off")
@prefetch(_state)
def switch_off(state: tuple[SecondStep, bool]) -> Response:
    """Switch the second step off."""
    second_step, proved = state
    form = ProofForm(proved=proved)
    if not (form.validate_on_submit() and form.prove()):
        return _index_page(second_step, form, 422)
    if store.switch_off(site(), g.viewer.uid):
        flash(_("Two-step login is off."))
    return redirect(url_for("second_step.index"), 303)


def _set_up_purpose() -> str:
    return f"authenticator set-up {g.viewer.uid}"


def _index_page(second_step: SecondStep, form: ProofForm, status: int = 200) -> Response:
    page = render_template("accounts/factors/index.html", second_step=second_step, form=form)
    return no_store_page(page, status)


def _set_up_page(secret: str, form: SetUpForm, status: int = 200) -> Response:
    form.sealed.data = encryption.seal(config(), _set_up_purpose(), secret)
    page = render_template(
        "accounts/factors/set_up.html",
        form=form,
        secret=secret,
        qr_code=codes.qr_code(secret, g.viewer.login, config().site_name),
    )
    return no_store_page(page, status)


def _codes_page(
    recovery_codes: list[str], next_path: str | None = None, has_app: bool = False
) -> Response:
    page = render_template(
        "accounts/factors/codes.html", codes=recovery_codes, next_path=next_path, has_app=has_app
    )
    return no_store_page(page, 201)

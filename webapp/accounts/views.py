"""Signing up, signing in and signing out."""

from flask import Blueprint, flash, g, jsonify, redirect, request, session, url_for
from flask.sansio.blueprints import BlueprintSetupState
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.core.errors import Conflict, Forbidden, Invalid, RateLimited, RefusedText
from webapp.core.forms.refused_forms import RefusedForm, carried_form
from webapp.core.net.proxies import client_network
from webapp.core.web import config, db, no_store, own_session_cookie, rate_limits, safe_path, site
from webapp.core.web.redirects import ViewResponse
from webapp.core.web.view_options import public, visits_storeless

from . import registration, signing_in, store as accounts
from .email.addresses import application, notify
from .factors import challenges
from .factors.forms import CodeForm
from .factors.security_page import options_page, passkey_party, site_party
from .factors.sign_in_completion import complete_sign_in
from .forms import LoginForm, SignUpForm
from .invitations import invites
from .passkeys import store as passkeys
from .passwords.rules import grade
from .sessions import credentials, sign_in_limits, store as sessions
from .sessions.cookies import clear_session_cookie, remember_suspended
from .sessions.known_devices import request_device
from .store import uid_by_login
from .viewer import (
    count_signup,
    current_device,
    current_device_note,
    refresh_session_cookie,
    require_viewer,
)

bp = Blueprint("accounts", __name__)
LOGIN_MAX = 15  # characters
bp.before_app_request(require_viewer)
bp.after_app_request(refresh_session_cookie)


@bp.route("/signup", methods=["GET", "POST"])
@public
def signup() -> ViewResponse:
    """Create an account, sign its member in, and lead to the first steps.

    These end at `next`, if that is a page of this site.
    """
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    came_from = safe_path(request.args.get("next")) or ""
    form = SignUpForm(invite=request.args.get("invite", ""), next=came_from)
    invite = _required_invite(form)
    if not form.validate_on_submit():
        return form.render("accounts/signup.html")
    rate_limits.consume(db(), ("signup", client_network(), config().limit_signup))
    try:
        member = registration.sign_up(
            site(),
            form.login.data,
            form.name.data,
            form.password.data,
            invite,
            _application(form),
        )
    except Conflict as refusal:
        form.refuse(refusal, "" if isinstance(refusal, RefusedText) else "login")
        return form.render("accounts/signup.html")
    count_signup()
    if form.reason:
        flash(_("Thanks. Your account waits for a moderator; try to log in later."))
        return redirect(url_for("accounts.login"), 303)
    first_steps = url_for("onboarding.index", next=safe_path(form.next.data))
    return complete_sign_in(member, sessions.INITIAL_EPOCH, first_steps)


@bp.post("/password-strength")
@public
def password_strength() -> Response:
    """Return how safe a new password is, as JSON, for the meter below its field."""
    rate_limits.consume(db(), ("strength", client_network(), config().limit_search))
    password, login, name = (request.form.get(one, "") for one in ("password", "login", "name"))
    if g.viewer:
        login, name = g.viewer.login, g.viewer.name
    score, sentence = grade(password, login[:LOGIN_MAX], name[: config().name_max])
    return no_store(jsonify(score=score, sentence=sentence))


@bp.route("/login", methods=["GET", "POST"])
@public
@visits_storeless
def login() -> ViewResponse:
    """Sign a member in, and go on to `next` if that is a page of this site.

    A form that was refused without a session is carried along, and shown to be sent again.
    """
    form, refused = LoginForm(next=safe_path(request.args.get("next")) or ""), carried_form()
    if g.viewer:
        return signing_in.answer_signed_in(form.next.data, refused)
    if request.method != "POST":
        return _login_page(form)
    if not form.validate_on_submit():
        return _login_page(form, refused)
    login_name = form.login.data.strip().removeprefix("@")
    device, agent = request_device(login_name), current_device_note()
    sign_in_limits.consume(site(), login_name, client_network(), device)
    try:
        verified = credentials.sign_in(site(), login_name, form.password.data, agent)
    except (Invalid, Forbidden) as refusal:
        is_suspended = refusal.code == "suspended"
        if is_suspended:
            remember_suspended(db().read(uid_by_login(login_name)))
        return _login_page(form.refuse(refusal, "password"), refused, is_suspended)
    return signing_in.after_proof(verified, form.next.data, refused)


@bp.post("/login/code")
@public
def second_step() -> ViewResponse:
    """Sign a member in who has entered the password, and now a code."""
    form, refused = CodeForm(), carried_form()
    target = safe_path(form.next.data) or url_for("timelines.home")
    if g.viewer:
        return signing_in.answer_signed_in(form.next.data, refused)
    if not form.validate_on_submit():
        return signing_in.code_page(form, refused)
    rate_limits.consume(db(), ("codes-network", client_network(), config().limit_signin_address))
    uid = challenges.uid_of(form.challenge.data or "")
    member = db().read(accounts.get(uid))
    known = bool(member and request_device(member.login))
    try:
        epoch = challenges.answer(
            site(), form.challenge.data or "", form.code.data, known, current_device_note()
        )
    except (Invalid, RateLimited) as refusal:
        if refusal.code == "used_code":  # somebody may have seen it
            notify(site(), uid, "code_used")
        return signing_in.code_page(form.refuse(refusal, "code"), refused)
    if epoch is None or member is None:
        login_form = LoginForm(formdata=None, next=safe_path(form.next.data) or "")
        return _login_page(login_form.refuse(Invalid("sign_in_gone")), refused)
    return complete_sign_in(member, epoch, target, refused, factor=True)


@bp.post("/login/passkey/options")
@public
def passkey_options() -> Response:
    """Return the options with which a browser uses a passkey, as JSON."""
    rate_limits.consume(db(), ("passkeys", client_network(), config().limit_signin_address))
    options = passkeys.begin_sign_in(site(), passkey_party())
    return options_page(options)


@bp.post("/login/passkey")
@public
def passkey() -> ViewResponse:
    """Sign a member in with a passkey, which takes neither a password nor a code."""
    form, refused = LoginForm(), carried_form()
    target = safe_path(form.next.data) or url_for("timelines.home")
    if g.viewer:
        return signing_in.answer_signed_in(form.next.data, refused)
    rate_limits.consume(db(), ("signin", client_network(), config().limit_signin_address))
    answer = request.form.get("passkey", "")
    try:
        member, epoch = passkeys.sign_in(site(), passkey_party(), answer, current_device())
    except (Invalid, Forbidden) as refusal:
        return _login_page(form.refuse(refusal), refused)
    return complete_sign_in(member, epoch, target, refused, factor=True)


@bp.post("/logout")
def logout() -> Response:
    """End this browser's session."""
    sessions.end(site(), own_session_cookie())
    session.clear()
    response = clear_session_cookie(redirect(url_for("timelines.index"), 303))
    flash(_("You’re logged out."))
    return response


def _required_invite(form: SignUpForm) -> str | None:
    """Return the invitation that signing up needs, None if anyone may. Raises Forbidden."""
    if config().signup in ("open", "approval"):
        return None
    if config().signup == "closed":
        raise Forbidden("closed")
    code = form.invite.data or ""
    if not invites.is_valid(db(), code):
        raise Forbidden("invite_bad" if code else "invite_needed")
    return code


def _application(form: SignUpForm) -> dict[str, str] | None:
    """Return the fields of an application, None where nobody has to apply."""
    if not form.reason:
        return None
    return application(form.reason.data, form.address.data or "" if form.address else "")


def _login_page(
    form: LoginForm, refused: RefusedForm | None = None, is_suspended: bool = False
) -> tuple[str, int]:
    return form.render(
        "accounts/login.html",
        refused=refused,
        is_suspended=is_suspended,
        has_passkeys=site_party() is not None,
    )


def _sign_in_page(refused: RefusedForm) -> str:
    """Return the page on which the sender of a refused form logs in."""
    form = LoginForm()
    form.login.data = form.next.data = ""  # fields of the other form may have these names
    return _login_page(form, refused)[0]


@bp.record_once
def _register_sign_in_page(state: BlueprintSetupState) -> None:
    state.app.extensions["linnet.sign_in_page"] = _sign_in_page

"""Signing up, in and out; and the gate every request passes: who is asking, and may they."""

from __future__ import annotations

import secrets

from flask import (
    Blueprint,
    Response,
    current_app,
    flash,
    g,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_babel import gettext as _
from werkzeug.wrappers import Response as AnyResponse

from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.accounts.sessions.devices import Device
from webapp.core.net.proxies import client_network
from webapp.core.store.reads import constant
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db, unwrap
from webapp.core.web.prefetch import page_read, viewer_context_read
from webapp.core.web.redirects import safe_path
from webapp.core.web.view_options import public, view_options
from webapp.errors import Conflict, Forbidden, Invalid

from . import invites, registration
from .forms import LoginForm, SignUpForm
from .member import Member
from .sessions import credentials
from .sessions import store as sessions
from .sessions.cookies import clear_session_cookie, set_session_cookie
from .store import LOGIN_PATTERN

bp = Blueprint("accounts", __name__)


@bp.before_app_request
def load_viewer() -> AnyResponse | None:
    """Find out who is asking. Send visitors to the sign-in unless the view is public."""
    flask_g, flask_request, flask_app = unwrap(g), unwrap(request), unwrap(current_app)
    flask_g.viewer, view = None, flask_app.view_functions.get(flask_request.endpoint or "")
    options = view_options(view)
    if flask_request.endpoint == "static" or options.storeless:
        return None
    flask_g.session = None
    cookie = flask_request.cookies.get(COOKIE_NAME)
    if cookie:
        _load_session(cookie, view)
    if flask_g.viewer or flask_request.endpoint is None or options.public:
        return None
    next_url = (
        flask_request.full_path.rstrip("?") if flask_request.method in ("GET", "HEAD") else None
    )
    return redirect(url_for("accounts.login", next=next_url), 303)


def _load_session(cookie: str, view: object) -> None:
    """Read the session with what the page prefetches and shows of its viewer. One trip."""
    requester = sessions.requester(cookie)
    if requester is None or requester.uid is None:
        return
    flask_g, is_page = unwrap(g), unwrap(request).method in ("GET", "HEAD")
    context = viewer_context_read(unwrap(current_app), requester.uid) if is_page else constant({})
    page = page_read(view, requester, unwrap(request).view_args or {})
    flask_g.session, viewer_context, prefetched = db().fetch(
        sessions.session(config(), cookie, current_device()),
        context.deferred(),
        (page or constant(None)).deferred(),
    )
    if flask_g.session:
        flask_g.viewer = flask_g.session.member
        if is_page:
            flask_g.viewer_context = viewer_context()
        if page:
            flask_g.prefetched = prefetched


@bp.after_app_request
def refresh_session_cookie(response: Response) -> Response:
    """Extends the cookie of a session whose life was just extended; removes one that is no session any more."""
    cookie, flask_g = request.cookies.get(COOKIE_NAME), unwrap(g)
    if cookie and COOKIE_NAME not in {
        part.split("=")[0] for part in response.headers.getlist("Set-Cookie")
    }:
        if flask_g.get("session") and flask_g.session.touched:
            set_session_cookie(response, cookie)
        elif "session" in flask_g and flask_g.session is None and response.status_code < 500:
            clear_session_cookie(response)
    return response


@bp.route("/signup", methods=["GET", "POST"])
@public
def signup() -> AnyResponse | str | tuple[str, int]:
    """Makes an account and signs its member in."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    form = SignUpForm(invite=request.args.get("invite", ""))
    invite = _required_invite(form)
    if request.method != "POST":
        return render_template("accounts/signup.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/signup.html", form=form), 422
    rate_limits.consume(db(), ("signup", client_network(), config().limit_signup))
    try:
        member = registration.sign_up(
            db(), config(), form.login.data, form.name.data, form.password.data, invite
        )
    except Conflict as refusal:
        form.login.errors = [str(refusal.sentence)]
        return render_template("accounts/signup.html", form=form), refusal.status
    return _start_session_and_redirect(member, sessions.INITIAL_EPOCH, url_for("timelines.home"))


@bp.route("/login", methods=["GET", "POST"])
@public
def login() -> AnyResponse | str | tuple[str, int]:
    """Signs a member in and goes on to `next`, if that is inside the site."""
    form = LoginForm(next=safe_path(request.args.get("next")) or "")
    target = safe_path(form.next.data) or url_for("timelines.home")
    if g.viewer:
        return redirect(target, 303)
    if request.method != "POST":
        return render_template("accounts/login.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/login.html", form=form), 422
    login_name = form.login.data.strip().removeprefix("@")
    rate_limit_subject = (
        login_name.lower() if LOGIN_PATTERN.match(login_name) else "-"
    )  # which is nobody's name
    rate_limits.consume(
        db(),
        ("signin", client_network(), config().limit_signin_address),
        ("account", rate_limit_subject, config().limit_signin_account),
    )
    try:
        member, epoch = credentials.sign_in(db(), config(), login_name, form.password.data)
    except (Invalid, Forbidden) as refusal:
        form.password.errors = [str(refusal.sentence)]
        return render_template("accounts/login.html", form=form), refusal.status
    return _start_session_and_redirect(member, epoch, target)


@bp.post("/logout")
def logout() -> AnyResponse:
    """Ends this browser's session."""
    sessions.end(db(), config(), request.cookies[COOKIE_NAME])
    session.clear()
    response = clear_session_cookie(redirect(url_for("timelines.index"), 303))
    flash(_("You are signed out."))
    return response


def current_device() -> Device:
    """What this request comes from."""
    flask_request = unwrap(request)
    return Device(flask_request.remote_addr or "", flask_request.headers.get("User-Agent", ""))


def _required_invite(form: SignUpForm) -> str | None:
    """The code that a new member needs here, or None when anyone may come. Raises Forbidden."""
    if config().signup == "open":
        return None
    if config().signup == "closed":
        raise Forbidden("closed")
    code = form.invite.data or ""
    if not invites.is_valid(db(), code):
        raise Forbidden("invite_bad" if code else "invite_needed")
    return code


def _start_session_and_redirect(member: Member, epoch: str, target: str) -> AnyResponse:
    """A new token at each sign-in, and new form tokens with it."""
    session.clear()
    session["fresh"] = secrets.token_hex(8)
    old_cookie = request.cookies.get(COOKIE_NAME)
    if old_cookie:
        sessions.end(db(), config(), old_cookie)
    return set_session_cookie(
        redirect(target, 303), sessions.start(db(), config(), member.uid, epoch, current_device())
    )

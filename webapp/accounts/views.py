"""Signing up, in and out; and the gate every request passes: who is asking, and may they."""

from __future__ import annotations

import secrets

from flask import Blueprint, Response, current_app, flash, g, redirect, render_template, request, session, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as AnyResponse

from .. import limits
from ..app import bound, config, db
from ..errors import Conflict, Forbidden, Invalid
from ..security import client_address, public, safe_path
from . import invites, sessions, store
from .cookies import forget, remember
from .forms import LoginForm, SignUpForm

bp = Blueprint("accounts", __name__)


@bp.before_app_request
def gate() -> AnyResponse | None:
    """Finds out who is asking; sends visitors to the sign-in unless the view is open to them."""
    own, asked, app = bound(g), bound(request), bound(current_app)
    own.viewer, view = None, app.view_functions.get(asked.endpoint or "")
    if asked.endpoint == "static" or getattr(view, "storeless", False):
        return None
    own.session = None
    cookie = asked.cookies.get(sessions.COOKIE)
    if cookie:
        shown = app.extensions["linnet.beside"] if asked.method in ("GET", "HEAD") else ()
        own.session = sessions.load(db(), config(), cookie, device(), [*shown, *getattr(view, "beside", ())])
        own.viewer = own.session.member if own.session else None
        if own.session and shown:
            own.told = own.session.beside[: len(shown)]
    if own.viewer or asked.endpoint is None or getattr(view, "public", False):
        return None
    back = asked.full_path.rstrip("?") if asked.method in ("GET", "HEAD") else None
    return redirect(url_for("accounts.login", next=back), 303)


@bp.after_app_request
def slide(response: Response) -> Response:
    """Extends the cookie of a session whose life was just extended; removes one that is no session any more."""
    cookie, own = request.cookies.get(sessions.COOKIE), bound(g)
    if cookie and sessions.COOKIE not in {part.split("=")[0] for part in response.headers.getlist("Set-Cookie")}:
        if own.get("session") and own.session.touched:
            remember(response, cookie)
        elif "session" in own and own.session is None and response.status_code < 500:
            forget(response)
    return response


@bp.route("/signup", methods=["GET", "POST"])
@public
def signup() -> AnyResponse | str | tuple[str, int]:
    """Makes an account and signs its member in."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    form = SignUpForm(invite=request.args.get("invite", ""))
    invite = _invitation(form)
    if request.method != "POST":
        return render_template("accounts/signup.html", form=form)
    if not form.validate_on_submit():
        return render_template("accounts/signup.html", form=form), 422
    limits.take(db(), ("signup", client_address(), config().limit_signup))
    try:
        member = store.sign_up(db(), config(), form.login.data, form.name.data, form.password.data, invite)
    except Conflict as refusal:
        form.login.errors = [str(refusal.sentence)]
        return render_template("accounts/signup.html", form=form), refusal.status
    return _enter(member, store.NEW, url_for("timelines.home"))


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
    name = form.login.data.strip().removeprefix("@")
    account = name.lower() if store.LOGIN.match(name) else "-"  # which is nobody's name
    limits.take(
        db(),
        ("signin", client_address(), config().limit_signin_address),
        ("account", account, config().limit_signin_account),
    )
    try:
        member, epoch = store.sign_in(db(), config(), name, form.password.data)
    except (Invalid, Forbidden) as refusal:
        form.password.errors = [str(refusal.sentence)]
        return render_template("accounts/login.html", form=form), refusal.status
    return _enter(member, epoch, target)


@bp.post("/logout")
def logout() -> AnyResponse:
    """Ends this browser's session."""
    sessions.end(db(), config(), request.cookies[sessions.COOKIE])
    session.clear()
    response = forget(redirect(url_for("timelines.index"), 303))
    flash(_("You are signed out."))
    return response


def device() -> sessions.Device:
    """What this request comes from."""
    asked = bound(request)
    return sessions.Device(asked.remote_addr or "", asked.headers.get("User-Agent", ""))


def _invitation(form: SignUpForm) -> str | None:
    """The code that a new member needs here, or None when anyone may come. Raises Forbidden."""
    if config().signup == "open":
        return None
    if config().signup == "closed":
        raise Forbidden("closed")
    code = form.invite.data or ""
    if not invites.valid(db(), code):
        raise Forbidden("invite_bad" if code else "invite_needed")
    return code


def _enter(member: store.Member, epoch: str, target: str) -> AnyResponse:
    """A new token at each sign-in, and new form tokens with it."""
    session.clear()
    session["fresh"] = secrets.token_hex(8)
    old = request.cookies.get(sessions.COOKIE)
    if old:
        sessions.end(db(), config(), old)
    return remember(redirect(target, 303), sessions.start(db(), config(), member.uid, epoch, device()))

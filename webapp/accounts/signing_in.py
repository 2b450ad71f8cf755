"""From a proved account to a session, by way of the second step where the account has one."""

from __future__ import annotations

import secrets

from flask import g, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from webapp.core.forms.refused_forms import RefusedForm
from webapp.core.web.context import config, db, site
from webapp.core.web.redirects import safe_path
from webapp.core.web.security import no_store_page

from .email.addresses import notify
from .factors import challenges
from .factors.forms import CodeForm
from .member import Member
from .sessions import store as sessions
from .sessions.cookie_value import COOKIE_NAME
from .sessions.cookies import set_session_cookie
from .sessions.credentials import Verified
from .sessions.device_names import device_name
from .sessions.known_devices import remember_device, request_device
from .settings.display import adopt_display, stored_display
from .viewer import current_device


def go_on(verified: Verified, next_path: str | None, refused: RefusedForm | None) -> Response:
    """Ask for the code of a member with a second step; sign any other member in.

    `next_path`: where to go then, if it is a page of this site. `refused`: a form to show again.
    """
    path, member = safe_path(next_path), verified.member
    if not verified.second_step:
        return start_session(member, verified.epoch, path or url_for("timelines.home"), refused)
    challenge = challenges.begin(site(), member.uid, verified.epoch)
    return code_page(CodeForm(formdata=None, challenge=challenge, next=path or ""), refused)


def start_session(
    member: Member, epoch: str, target: str, refused: RefusedForm | None = None
) -> Response:
    """Start a session with a new token, and new form tokens with it. Up to three trips.

    The browser gets the language and theme of the account. With a `refused` form, show it to its
    sender. That takes another trip, and so does the notice of a device that is new to the account.
    """
    session.clear()
    session["fresh"] = secrets.token_hex(8)
    old_cookie = request.cookies.get(COOKIE_NAME)
    if old_cookie:
        sessions.end(site(), old_cookie)
    cookie, display = db().fetch(
        sessions.starting(config(), member.uid, epoch, current_device()),
        stored_display(member.uid),
    )
    if not request_device(member.login):
        notify(site(), member.uid, "new_device", device=device_name(request.user_agent.string))
    g.viewer = member
    response = show_again(refused) if refused else redirect(target, 303)
    adopt_display(response, display)
    return remember_device(set_session_cookie(response, cookie), member.login)


def code_page(form: CodeForm, refused: RefusedForm | None, status: int = 200) -> Response:
    """Return the page that asks for the code of a second step."""
    page = render_template("accounts/second_step.html", form=form, refused=refused)
    return no_store_page(page, status)


def show_again(refused: RefusedForm) -> Response:
    """Return the page that sends a refused form again, once its sender is signed in."""
    return no_store_page(render_template("accounts/signed_in_again.html", refused=refused))

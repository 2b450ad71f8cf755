"""Complete a sign-in: start the session of a member who has proved who they are, and redirect."""

from datetime import datetime

from flask import flash, g, redirect
from flask_babel import format_datetime, gettext as _

from webapp.accounts.email.addresses import notify
from webapp.accounts.member import Member
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookies import renew_form_session, set_session_cookie
from webapp.accounts.sessions.device_names import device_label
from webapp.accounts.sessions.known_devices import remember_device, request_device
from webapp.accounts.settings.display import adopt_display, stored_display
from webapp.accounts.viewer import current_device
from webapp.core.forms.refused_forms import RefusedForm
from webapp.core.metrics.recorder import RECORDER
from webapp.core.web import Response, config, db, own_session_cookie, private_page, site

from . import recovery


def complete_sign_in(
    member: Member,
    epoch: str,
    target: str,
    refused: RefusedForm | None = None,
    tells_recovery: bool = True,
    factor: bool = False,
) -> Response:
    """Start a session with a new token, and new form tokens with it. Up to four trips.

    The browser gets the language and theme of the account. With a `refused` form, show it to its
    sender. That takes another trip, and so does the notice of a device or country that is new.
    `tells_recovery`: say that the password was recovered, once. `factor`: a second factor or a
    passkey was used.
    """
    renew_form_session()
    old_cookie = own_session_cookie()
    if old_cookie:
        sessions.end(site(), old_cookie)
    (cookie, is_abroad), display, recovered = db().fetch(
        sessions.starting(config(), member.uid, epoch, current_device(), factor),
        stored_display(member.uid),
        recovery.last_recovery(member.uid),
    )
    if is_abroad or not request_device(member.login):
        kind = "new_country" if is_abroad else "new_device"
        notify(site(), member.uid, kind, device=device_label(current_device()))
    RECORDER.come(member.uid)
    g.viewer = member
    if recovered and tells_recovery:
        _tell_recovery(member, recovered)
    response = show_again(refused) if refused else redirect(target, 303)
    adopt_display(response, display)
    return remember_device(set_session_cookie(response, cookie), member.login)


def _tell_recovery(member: Member, at: datetime) -> None:
    recovery.forget_recovery(db(), member.uid)
    flash(
        _(
            "Your password was reset with a recovery code on %(time)s. If that wasn’t you, "
            "change it now and get new recovery codes.",
            time=format_datetime(at, "medium"),
        )
    )


def show_again(refused: RefusedForm) -> Response:
    """Show a form that was refused without a session to its sender, to be sent again."""
    return private_page("accounts/signed_in_again.html", refused=refused)

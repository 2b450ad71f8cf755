"""The page for members who forgot their password and have a recovery code.

Its address begins with that of the log-in, so browsers send the cookie of known devices there.
"""

from flask import Blueprint, flash, g, redirect, url_for
from flask_babel import gettext as _

from webapp.accounts.email.reset_notice import notify_reset
from webapp.accounts.sessions import sign_in_limits
from webapp.accounts.sessions.known_devices import request_device
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Forbidden, Invalid, RateLimited
from webapp.core.net.proxies import client_network
from webapp.core.web import Response, no_store, private_page, public, site

from .forms import RecoverForm
from .recovery import recover
from .sign_in_completion import complete_sign_in

bp = Blueprint("recovery", __name__)
bp.after_request(no_store)


@bp.route("/login/recover", methods=["GET", "POST"])
@public
def reset() -> Response:
    """Replace a forgotten password with the help of a recovery code, and sign the member in."""
    if g.viewer:
        return redirect(url_for("settings.password"), 303)
    form = RecoverForm()
    if not form.validate_on_submit():
        return _page(form)
    login = form.login.data.strip().removeprefix("@")
    device = request_device(login)
    try:
        sign_in_limits.consume(site(), login, client_network(), device)
        member, epoch = recover(
            site(),
            login,
            form.code.data,
            form.app_code.data or "",
            form.password.data,
            bool(device),
            current_device_note(),
        )
    except (Invalid, RateLimited, Forbidden) as refusal:
        return _page(form.refuse(refusal))
    notify_reset(site(), member.uid)
    response = complete_sign_in(member, epoch, url_for("second_step.access"), tells_recovery=False)
    flash(_("Your password is changed. All other devices were logged out."))
    return response


def _page(form: RecoverForm) -> Response:
    return private_page("accounts/factors/recover.html", form.http_status, form=form)

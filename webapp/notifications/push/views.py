"""Turning a member's devices on and off."""

from flask import Blueprint, flash, g, redirect, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.accounts.sessions.cookie_value import sha_of
from webapp.core.errors import Invalid, NotFound
from webapp.core.forms.csrf import csrf, require_same_origin
from webapp.core.i18n.preferences import language
from webapp.core.net.web_push import BadSubscription
from webapp.core.web import consume_for_viewer, db, done, no_store, own_session_cookie, site
from webapp.core.web.context import site_address

from . import devices
from .forms import SubscriptionForm
from .settings_page import render_settings

bp = Blueprint("push", __name__, url_prefix="/settings/notifications")
bp.after_request(no_store)


@bp.post("/devices")
def subscribe() -> Response | tuple[str, int]:
    """Turn notifications on for this browser."""
    form = SubscriptionForm()
    consume_for_viewer("edit")
    try:
        _subscribe(form, renewed=False)
    except BadSubscription:
        form.form_errors.append(_("This browser’s notifications can’t be used here."))
        return render_settings(subscription_form=form), 422
    flash(_("Notifications are on for this device."))
    return _back()


@bp.post("/devices/renew")
@csrf.exempt
def renew() -> tuple[str, int]:
    """Replace this browser's subscription. Its service worker asks for it, without a form token."""
    require_same_origin()
    consume_for_viewer("edit")
    try:
        if not _subscribe(SubscriptionForm(), renewed=True):
            raise NotFound("no_push_device")
    except BadSubscription:
        raise Invalid("bad_subscription") from None
    return "", 204


@bp.post("/devices/<sha>/test")
def send_test(sha: str) -> Response:
    """Send a test message to one of the member's devices."""
    consume_for_viewer("edit")
    devices.request_test(db(), g.viewer.uid, sha)
    return done(_("A test is on its way to that device."), "notifications.settings", _anchor="push")


@bp.post("/devices/<sha>/remove")
def remove(sha: str) -> Response:
    """Turn notifications off for one of the member's devices."""
    if devices.remove(db(), g.viewer.uid, sha):
        flash(_("Notifications are off for that device."))
    return _back()


def _subscribe(form: SubscriptionForm, renewed: bool) -> bool:
    return devices.subscribe(
        site(),
        g.viewer.uid,
        sha_of(own_session_cookie()),
        form.subscription,
        site_url=site_address(),
        locale=language().locale,
        renewed=renewed,
    )


def _back() -> Response:
    return redirect(url_for("notifications.settings", _anchor="push"), 303)

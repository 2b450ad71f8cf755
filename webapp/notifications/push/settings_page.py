"""The page of a member's preferences about notifications, with several forms on it."""

from flask import g, render_template
from wtforms import Field

from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.device_names import device_name
from webapp.chat.bots.error_texts import delivery_error_text
from webapp.core.net import vapid
from webapp.core.rendering.feature_pages import has_feature
from webapp.core.web import config, db, own_session_cookie
from webapp.notifications import store
from webapp.notifications.kinds import KINDS

from . import devices
from .forms import SettingsForm, SubscriptionForm, kind_field


def render_settings(
    form: SettingsForm | None = None, subscription_form: SubscriptionForm | None = None
) -> str:
    """Render the page, with a refused form as its member left it. At most two trips."""
    uid = g.viewer.uid
    sources, push, shas = db().fetch(
        store.preferences(uid), devices.preferences(uid), devices.device_shas(uid)
    )
    is_on = config().web_push != "off"
    form = form or SettingsForm.from_preferences(sources, push)
    return render_template(
        "notifications/settings.html",
        form=form,
        rows=[_row(form, name) for name in KINDS if _is_on(name)],
        kept=[one for name in KINDS if not _is_on(name) for one in _row(form, name)[1:] if one],
        subscription_form=subscription_form or SubscriptionForm(formdata=None),
        push_is_on=is_on,
        push_key=vapid.public_key(config()) if is_on else "",
        push_devices=db().read(devices.list_devices(uid, shas)) if is_on else [],
        current_sha=sha_of(own_session_cookie()),
        device_name=device_name,
        push_error=delivery_error_text,
    )


def _is_on(kind: str) -> bool:
    """Return False for a kind of an optional system that is switched off."""
    feature = KINDS[kind].feature
    return not feature or has_feature(feature)


def _row(form: SettingsForm, kind: str) -> tuple[str, Field | None, Field]:
    """Return a kind's label, source (None for a kind about one's own), and box for devices."""
    source = None if KINDS[kind].about_own else form[kind]
    return str(KINDS[kind].label), source, form[kind_field(kind)]

"""The page of a member's preferences about notifications, with several forms on it."""

from __future__ import annotations

from flask import g, render_template, request

from webapp.accounts.sessions.cookie_value import COOKIE_NAME, sha_of
from webapp.accounts.sessions.device_names import device_name
from webapp.chat.bots.error_texts import delivery_error_text
from webapp.core.net import vapid
from webapp.core.web.context import config, db
from webapp.notifications import store
from webapp.notifications.forms import PreferencesForm
from webapp.notifications.kinds import COLUMNS, KINDS

from . import devices
from .forms import PushForm, SubscriptionForm, kind_field


def render_settings(
    form: PreferencesForm | None = None,
    push_form: PushForm | None = None,
    subscription_form: SubscriptionForm | None = None,
) -> str:
    """Render the page, with a refused form as its member left it. At most two trips."""
    uid = g.viewer.uid
    preferences, push_preferences, shas = db().fetch(
        store.preferences(uid), devices.preferences(uid), devices.device_shas(uid)
    )
    is_on = config().web_push != "off"
    push_form = push_form or PushForm.from_preferences(push_preferences)
    return render_template(
        "notifications/settings.html",
        form=form or PreferencesForm(formdata=None, data=preferences),
        columns=COLUMNS,
        push_form=push_form,
        push_kinds=[push_form[kind_field(kind)] for kind in KINDS],
        subscription_form=subscription_form or SubscriptionForm(formdata=None),
        push_is_on=is_on,
        push_key=vapid.public_key(config()) if is_on else "",
        push_devices=db().read(devices.list_devices(uid, shas)) if is_on else [],
        current_sha=sha_of(request.cookies[COOKIE_NAME]),
        device_name=device_name,
        push_error=delivery_error_text,
    )

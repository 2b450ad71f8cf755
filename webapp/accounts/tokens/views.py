"""The page of a member's access tokens and apps: creating and revoking them.

Apps have the keys that clients of the streaming API sign with (OAuth 1.0a).
"""

from typing import Any

from flask import Blueprint, Response, flash, g, redirect, url_for
from flask_babel import gettext as _, lazy_gettext as _l
from werkzeug.wrappers import Response as Redirect
from wtforms import SelectField, StringField
from wtforms.fields.choices import SelectChoice

from webapp.accounts.sessions.password_proof import ProofForm, current_session, recent_proof
from webapp.accounts.viewer import current_device_note
from webapp.core.errors import Refused
from webapp.core.forms.fields import needed, normalize_name
from webapp.core.web import db, no_store, prefetch, private_page, site

from . import apps, store as tokens
from .apps import AppCredentials

NAME_MAX = 50  # characters
NO_END = "never"
LIFETIMES = (
    SelectChoice("7", _l("7 days")),
    SelectChoice("30", _l("30 days")),
    SelectChoice("90", _l("90 days")),
    SelectChoice(NO_END, _l("No end")),
)


class TokenForm(ProofForm):
    """A name for a new access token, and when it ends."""

    name = StringField(
        _l("Token name"),
        needed(normalize_name, NAME_MAX, _l("Enter a name for the token.")),
        description=_l("What it’s for, so you recognize it later."),
        render_kw={"autocomplete": "off"},
    )
    lifetime = SelectField(_l("Valid for"), choices=LIFETIMES, default="90")

    @property
    def seconds(self) -> int | None:
        """Return how long the token lives, None without an end."""
        return None if self.lifetime.data == NO_END else int(self.lifetime.data) * 86_400


class AppForm(ProofForm):
    """A name for a new app."""

    name = StringField(
        _l("App name"),
        needed(normalize_name, NAME_MAX, _l("Enter a name for the app.")),
        id="app-name",  # the form for tokens is on the same page
        description=_l("So you recognize it later."),
        render_kw={"autocomplete": "off"},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.current_password:
            self.current_password.id = "app-password"


bp = Blueprint("tokens", __name__, url_prefix="/settings/tokens")
apps_bp = Blueprint("apps", __name__, url_prefix="/settings/apps")
bp.after_request(no_store)


@bp.get("")
@apps_bp.get("")
@prefetch(recent_proof)
def index(proved: bool) -> Response:
    """Show the viewer's tokens and apps."""
    return _page(proved)


@bp.post("")
@prefetch(recent_proof)
def create(proved: bool) -> Response:
    """Create a token. Only this response shows it."""
    form = TokenForm(proved=proved)

    def make() -> str:
        proof = current_session(), current_device_note()
        return tokens.create(site(), g.viewer.uid, form.name.data, *proof, form.seconds)

    if form.carry_out(make, "token", field="name", refusals=Refused):
        return _page(True, new_token=form.outcome)
    return _page(proved, token_form=form)


@apps_bp.post("", endpoint="create")
@prefetch(recent_proof)
def create_app(proved: bool) -> Response:
    """Create an app. Only this response shows its secrets."""
    form = AppForm(proved=proved)

    def make() -> AppCredentials:
        proof = current_session(), current_device_note()
        return apps.create(site(), g.viewer.uid, form.name.data, *proof)

    if form.carry_out(make, "token", "app", field="name", refusals=Refused):
        return _page(True, credentials=form.outcome)
    return _page(proved, app_form=form)


@bp.post("/<sha>/revoke")
def revoke(sha: str) -> Redirect:
    """Revoke a token."""
    if tokens.revoke(site(), g.viewer.uid, sha, current_device_note()):
        flash(_("Token revoked."))
    return redirect(url_for("tokens.index"), 303)


@apps_bp.post("/<key>/revoke", endpoint="revoke")
def revoke_app(key: str) -> Redirect:
    """Revoke an app."""
    if apps.revoke(site(), g.viewer.uid, key, current_device_note()):
        flash(_("App revoked."))
    return redirect(url_for("tokens.index", _anchor="apps"), 303)


def _page(
    proved: bool,
    token_form: TokenForm | None = None,
    new_token: str | None = None,
    app_form: AppForm | None = None,
    credentials: AppCredentials | None = None,
) -> Response:
    """Return the page, with a form that was refused, or with a new secret, shown once.

    `proved`: new forms need not ask for the password.
    """
    form = token_form or TokenForm(formdata=None, proved=proved)
    app_form = app_form or AppForm(formdata=None, proved=proved)
    return private_page(
        "accounts/tokens/index.html",
        201 if new_token or credentials else max(form.http_status, app_form.http_status),
        form=form,
        new_token=new_token,
        tokens=tokens.list_tokens(db(), g.viewer.uid),
        app_form=app_form,
        new_credentials=credentials,
        apps=apps.list_apps(db(), g.viewer.uid),
    )

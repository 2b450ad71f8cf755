"""The page of all that a member's own programs prove themselves with: access tokens and apps."""

from __future__ import annotations

from flask import Response, g, make_response, render_template

from webapp.accounts.settings.forms import AppForm, TokenForm
from webapp.core.web.context import db

from . import apps
from . import store as tokens
from .apps import AppCredentials


def render_page(
    status: int = 200,
    token_form: TokenForm | None = None,
    new_token: str | None = None,
    app_form: AppForm | None = None,
    credentials: AppCredentials | None = None,
) -> Response:
    """The page, with what was just made, which is shown once, or a form that comes back."""
    page = render_template(
        "accounts/tokens/index.html",
        form=token_form or TokenForm(formdata=None),
        new_token=new_token,
        tokens=tokens.list_tokens(db(), g.viewer.uid),
        app_form=app_form or AppForm(formdata=None),
        new_credentials=credentials,
        apps=apps.list_apps(db(), g.viewer.uid),
    )
    response = make_response(page, status)
    response.headers["Cache-Control"] = "no-store"
    return response

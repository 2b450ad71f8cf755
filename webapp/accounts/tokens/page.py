"""The page of a member's access tokens and apps."""

from __future__ import annotations

from flask import Response, g, make_response, render_template

from webapp.core.web.context import db
from webapp.core.web.security import no_store

from . import apps
from . import store as tokens
from .apps import AppCredentials
from .forms import AppForm, TokenForm


def render_page(
    proved: bool,
    status: int = 200,
    token_form: TokenForm | None = None,
    new_token: str | None = None,
    app_form: AppForm | None = None,
    credentials: AppCredentials | None = None,
) -> Response:
    """Return the page, with a form that was refused, or with a new secret, shown once.

    `proved`: new forms need not ask for the password.
    """
    page = render_template(
        "accounts/tokens/index.html",
        form=token_form or TokenForm(formdata=None, proved=proved),
        new_token=new_token,
        tokens=tokens.list_tokens(db(), g.viewer.uid),
        app_form=app_form or AppForm(formdata=None, proved=proved),
        new_credentials=credentials,
        apps=apps.list_apps(db(), g.viewer.uid),
    )
    return no_store(make_response(page, status))

"""Registering apps."""

from typing import Any

import msgspec

from webapp.client_api import scopes
from webapp.client_api.callers import calling_app
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.http import Parameters, cleaned, invalid
from webapp.client_api.oauth import apps
from webapp.client_api.oauth.requests import is_redirect
from webapp.core.forms.fields import normalize_name
from webapp.core.net import vapid
from webapp.core.net.proxies import client_network
from webapp.core.web import config, db, rate_limits, site

bp = ApiBlueprint("apps")
NAME_MAX, WEBSITE_MAX, REDIRECTS_MAX = 60, 2_000, 10


class AppParameters(Parameters):
    """An app to be registered. `redirect_uris`: one in each line, or a list."""

    client_name: str = ""
    redirect_uris: tuple[str, ...] = ()
    scopes: str = scopes.DEFAULT
    website: str = ""


class Application(msgspec.Struct, kw_only=True):
    """An app."""

    id: str
    name: str
    website: str | None
    scopes: list[str]
    redirect_uris: list[str]
    redirect_uri: str
    vapid_key: str


class CredentialApplication(Application, kw_only=True):
    """An app that was just registered, with its secret."""

    client_id: str
    client_secret: str
    client_secret_expires_at: int = 0


@bp.declare("POST /api/v1/apps", "", public=True)
def register(params: AppParameters) -> CredentialApplication:
    """Register an app."""
    rate_limits.consume(db(), ("oauth_app", client_network(), config().limit_app))
    name = cleaned(
        "Application name", normalize_name, params.client_name, NAME_MAX, "can't be blank"
    )
    redirects = [line for text in params.redirect_uris for line in text.split()]
    wanted = scopes.parse(params.scopes)
    if not 0 < len(redirects) <= REDIRECTS_MAX or not all(map(is_redirect, redirects)):
        raise invalid("Redirect URI must be an absolute URI.")
    if wanted is None:
        raise invalid("Scopes doesn't match configured on the server.")
    is_website = params.website.startswith(("https://", "http://"))
    website = params.website[:WEBSITE_MAX] if is_website else ""
    app, secret = apps.register(site(), name, website, redirects, wanted)
    return CredentialApplication(**_application(app), client_id=app.client_id, client_secret=secret)


@bp.declare("GET /api/v1/apps/verify_credentials", "", public=True)
def verify() -> Application:
    """Return the app that calls."""
    return Application(**_application(calling_app()))


def _application(app: apps.OAuthApp) -> dict[str, Any]:
    return {
        "id": app.client_id,
        "name": app.name,
        "website": app.website or None,
        "scopes": list(app.scopes),
        "redirect_uris": list(app.redirects),
        "redirect_uri": "\n".join(app.redirects),
        "vapid_key": vapid.public_key(config()),
    }

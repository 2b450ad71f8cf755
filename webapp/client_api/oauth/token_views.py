"""The addresses where apps get and end tokens, and what they may ask for."""

import base64
import time

import msgspec
from flask import Blueprint, Response, request

from webapp.accounts.sessions import credentials, sign_in_limits
from webapp.accounts.tokens import store as tokens
from webapp.client_api import scopes
from webapp.client_api.http import Parameters, parameters, responses
from webapp.core.errors import Forbidden, Invalid, Refused
from webapp.core.forms.csrf import csrf
from webapp.core.net.proxies import client_network
from webapp.core.web import anonymous, config, db, rate_limits, site, site_address
from webapp.core.web.request_log import note_refusal
from webapp.moderation.bans.gate import refuse
from webapp.site_settings import LOGIN

from . import apps, codes
from .apps import OAuthApp
from .codes import Token

bp = Blueprint("oauth_tokens", __name__)
WRONG_SCOPE = "invalid_scope", "The scope is invalid or more than the app's."


class TokenParameters(Parameters):
    """The request of an app for a token. The secret may come as HTTP Basic instead."""

    grant_type: str = ""
    client_id: str = ""
    client_secret: str = ""
    redirect_uri: str = ""
    code: str = ""
    code_verifier: str = ""
    scope: str = ""
    token: str = ""
    username: str = ""
    password: str = ""


@bp.post("/oauth/token", strict_slashes=False)
@csrf.exempt
@anonymous
def token() -> Response:
    """Give an app a token for a code, or its own token."""
    rate_limits.consume(db(), ("oauth_token", client_network(), config().limit_app))
    sent = _token_parameters()
    app = _authenticated_app(sent)
    if app is None:
        return _oauth_error("invalid_client", "Client authentication failed.", 401)
    if sent.grant_type == "client_credentials":
        return _own_token(app, sent)
    if sent.grant_type == "password" and config().oauth_password_grant:
        return _token_for_password(app, sent)
    if sent.grant_type != "authorization_code":
        return _oauth_error("unsupported_grant_type", "This grant is not supported.")
    given = codes.exchange(site(), app, sent.code, sent.redirect_uri, sent.code_verifier)
    if given is None:
        return _oauth_error("invalid_grant", "The code is invalid, expired or used already.")
    return responses.json(given)


def _own_token(app: OAuthApp, sent: TokenParameters) -> Response:
    """Give an app its own token, for all its scopes if it asks for none."""
    wanted = scopes.parse(sent.scope) if sent.scope.strip() else app.scopes
    if wanted is None or not scopes.are_within(wanted, app.scopes):
        return _oauth_error(*WRONG_SCOPE)
    own, now = apps.own_token(config(), app, wanted), int(time.time())
    return responses.json(Token(access_token=own, scope=" ".join(wanted), created_at=now))


def _token_for_password(app: OAuthApp, sent: TokenParameters) -> Response:
    """Give an app a token for a member's password, within the limits of the login page."""
    login, wanted = sent.username.strip().removeprefix("@"), scopes.parse(sent.scope)
    if wanted is None or not scopes.are_within(wanted, app.scopes):
        return _oauth_error(*WRONG_SCOPE)
    sign_in_limits.consume(site(), login, client_network(), "")
    try:
        refuse(LOGIN)  # as a network may be refused at the login page
        verified = credentials.sign_in(site(), login, sent.password)
        if verified.second_step:
            raise Forbidden("wrong_code")  # such a request has no place for a code
        return responses.json(codes.issue(site(), verified.member.uid, app, wanted))
    except (Invalid, Forbidden):
        return _oauth_error("invalid_grant", "The login or the password is wrong.")


@bp.post("/oauth/revoke", strict_slashes=False)
@csrf.exempt
@anonymous
def revoke() -> Response:
    """End a token of the app that asks. An unknown token is no error (RFC 7009)."""
    sent = _token_parameters()
    app = _authenticated_app(sent)
    if app is None:
        return _oauth_error("unauthorized_client", "Client authentication failed.", 403)
    found = db().read(tokens.held(site(), sent.token))
    if found and found.member and found.app == app.client_id:
        tokens.revoke(site(), found.member.uid, tokens.sha_of(sent.token))
    return responses.json({})


@bp.get("/.well-known/oauth-authorization-server")
@anonymous
def metadata() -> Response:
    """Describe this server to apps (RFC 8414)."""
    base = site_address()
    return responses.json(
        {
            "issuer": f"{base}/",
            "authorization_endpoint": f"{base}/oauth/authorize",
            "token_endpoint": f"{base}/oauth/token",
            "revocation_endpoint": f"{base}/oauth/revoke",
            "userinfo_endpoint": f"{base}/oauth/userinfo",
            "app_registration_endpoint": f"{base}/api/v1/apps",
            "scopes_supported": sorted(scopes.SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": [
                *("authorization_code", "client_credentials"),
                *(["password"] if config().oauth_password_grant else []),
            ],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
        }
    )


@bp.errorhandler(Refused)
def _refused(refusal: Refused) -> Response:
    """Answer a request that cannot be read as OAuth says, and others as the API does."""
    note_refusal(refusal.code)
    if refusal.status not in (Refused.status, Invalid.status):
        return responses.error(refusal)
    return _oauth_error("invalid_request", str(refusal.sentence))


def _token_parameters() -> TokenParameters:
    sent = parameters.parse(TokenParameters)
    scheme, _, packed = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return sent
    try:
        client_id, _, secret = base64.b64decode(packed, validate=True).decode().partition(":")
    except ValueError:
        return sent
    return msgspec.structs.replace(sent, client_id=client_id, client_secret=secret)


def _authenticated_app(sent: TokenParameters) -> OAuthApp | None:
    app = db().read(apps.find(sent.client_id)) if sent.client_id.isalnum() else None
    return app if app and app.has_secret(sent.client_secret) else None


def _oauth_error(code: str, description: str, status: int = 400) -> Response:
    response = responses.json({"error": code, "error_description": description}, status)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Basic realm="Linnet"'
    return response

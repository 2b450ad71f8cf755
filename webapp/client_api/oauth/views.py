"""The page on which a member allows an app, and the addresses where apps get and end tokens."""

from __future__ import annotations

import base64
import time

import msgspec
from flask import Blueprint, Response, g, render_template, request
from flask import redirect as redirect_to
from flask_babel import lazy_gettext as _l
from werkzeug.wrappers import Response as AnyResponse
from wtforms import HiddenField

from webapp.accounts.sessions import credentials, sign_in_limits
from webapp.accounts.sessions.password_proof import ProofForm, recent_proof
from webapp.accounts.tokens import store as tokens
from webapp.client_api import scopes
from webapp.client_api.http import Parameters, parameters, responses
from webapp.core.errors import Forbidden, Invalid
from webapp.core.forms.csrf import csrf
from webapp.core.net.proxies import client_network
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db, site
from webapp.core.web.prefetch import prefetch
from webapp.core.web.security import no_store, policy_with_form_action
from webapp.core.web.view_options import anonymous
from webapp.moderation.bans.gate import refuse
from webapp.site_settings import LOGIN

from . import apps, codes
from .apps import OAuthApp
from .codes import Token
from .requests import ConsentRequest, consent_request

bp = Blueprint("oauth", __name__)
SCOPE_LABELS = {
    "read": _l("See everything in your account, except your chats"),
    "write": _l("Post, like, boost, upload and change things for you"),
    "follow": _l("Follow, mute and block people for you"),
    "push": _l("Get your notifications"),
    "profile": _l("See your name and picture"),
}


class ConsentForm(ProofForm):
    """The member's answer to an app. `answer`: allow or deny."""

    answer = HiddenField()


class TokenParameters(Parameters):
    """What an app sends for a token. The secret may come as HTTP Basic instead."""

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


@bp.get("/oauth/authorize", strict_slashes=False)
@prefetch(recent_proof)
def authorize(proved: bool) -> Response:
    """Ask the member whether an app may act for them."""
    wanted = consent_request(db(), request.args.to_dict())
    return _consent_page(wanted, ConsentForm(formdata=None, proved=proved))


@bp.post("/oauth/authorize", strict_slashes=False)
@prefetch(recent_proof)
def answer(proved: bool) -> AnyResponse:
    """Lead back to the app with a code or a refusal, or show the code."""
    wanted = consent_request(db(), request.args.to_dict())
    form = ConsentForm(proved=proved)
    if form.answer.data != "allow":
        denied = wanted.location(error="access_denied")
        return redirect_to("/home" if wanted.is_out_of_band else denied, 303)
    if not (form.validate_on_submit() and form.prove()):
        return _consent_page(wanted, form, 422)
    code = codes.grant(
        site(), g.viewer.uid, wanted.app, wanted.redirect, wanted.scopes, wanted.challenge
    )
    if wanted.is_out_of_band:
        page = render_template("client_api/code.html", app=wanted.app, code=code)
        return no_store(Response(page))
    return no_store(Response(status=303, headers={"Location": wanted.location(code=code)}))


@bp.post("/oauth/token", strict_slashes=False)
@csrf.exempt  # type: ignore[untyped-decorator]
@anonymous
def token() -> Response:
    """Give an app a token for a code, or its own token."""
    rate_limits.consume(db(), ("oauth_token", client_network(), config().limit_app))
    sent = _token_parameters()
    app = _authenticated_app(sent)
    if app is None:
        return _oauth_error("invalid_client", "Client authentication failed.", 401)
    if sent.grant_type == "client_credentials":
        own, scope = apps.own_token(config(), app), " ".join(app.scopes)
        now = int(time.time())
        return responses.json(Token(access_token=own, scope=scope, created_at=now))
    if sent.grant_type == "password" and config().oauth_password_grant:
        return _token_for_password(app, sent)
    if sent.grant_type != "authorization_code":
        return _oauth_error("unsupported_grant_type", "This grant is not supported.")
    given = codes.exchange(site(), app, sent.code, sent.redirect_uri, sent.code_verifier)
    if given is None:
        return _oauth_error("invalid_grant", "The code is invalid, expired or used already.")
    return responses.json(given)


def _token_for_password(app: OAuthApp, sent: TokenParameters) -> Response:
    """Give an app a token for a member's password, within the limits of the login page."""
    login, wanted = sent.username.strip().removeprefix("@"), scopes.parse(sent.scope)
    if wanted is None or not scopes.are_within(wanted, app.scopes):
        return _oauth_error("invalid_scope", "The scope is invalid or more than the app's.")
    sign_in_limits.consume(site(), login, client_network(), "")
    try:
        refuse(LOGIN)  # as a network may be refused at the login page
        verified = credentials.sign_in(site(), login, sent.password)
        if verified.second_step:
            raise Forbidden("wrong_code")  # such a request has no place for a code
        given = codes.issue(site(), verified.member.uid, app, wanted)
    except (Invalid, Forbidden):
        given = None
    if given is None:
        return _oauth_error("invalid_grant", "The login or the password is wrong.")
    return responses.json(given)


@bp.post("/oauth/revoke", strict_slashes=False)
@csrf.exempt  # type: ignore[untyped-decorator]
@anonymous
def revoke() -> Response:
    """End a token of the app that asks. An unknown token is no error (RFC 7009)."""
    sent = _token_parameters()
    app = _authenticated_app(sent)
    if app is None:
        return _oauth_error("unauthorized_client", "Client authentication failed.", 403)
    found = tokens.holder(site(), sent.token)
    if found and found.member and found.app == app.client_id:
        tokens.revoke(site(), found.member.uid, tokens.sha_of(sent.token))
    return responses.json({})


@bp.get("/.well-known/oauth-authorization-server")
@anonymous
def metadata() -> Response:
    """Describe this server to apps (RFC 8414)."""
    base = responses.site_address()
    return responses.json(
        {
            "issuer": f"{base}/",
            "authorization_endpoint": f"{base}/oauth/authorize",
            "token_endpoint": f"{base}/oauth/token",
            "revocation_endpoint": f"{base}/oauth/revoke",
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


def _consent_page(wanted: ConsentRequest, form: ConsentForm, status: int = 200) -> Response:
    groups = dict.fromkeys(scope.partition(":")[0] for scope in wanted.scopes)
    page = render_template(
        "client_api/authorize.html",
        app=wanted.app,
        form=form,
        labels=[SCOPE_LABELS[group] for group in groups],
    )
    response = no_store(Response(page, status))
    # Browsers apply the policy of a form to the address that its answer leads to.
    return policy_with_form_action(response, wanted.redirect_source)


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

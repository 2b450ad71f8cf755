"""Form tokens against cross-site request forgery: Flask-WTF's, with one signer for the process.

Flask-WTF makes a signer for each token that it writes or checks, which takes longer than the rest.
Here a token is compared with the kept signer, and only a refusal is left to Flask-WTF.
"""

from functools import lru_cache
from hmac import compare_digest
from typing import TypeVar, cast

from flask import Flask, current_app, g, request, session
from flask_wtf.csrf import CSRFProtect, generate_csrf, same_origin
from itsdangerous import BadSignature, Signer, URLSafeTimedSerializer
from itsdangerous.encoding import base64_encode

from webapp.core.errors import Forbidden
from webapp.core.web import SAFE_METHODS, unwrap

CSRF_FIELD = "csrf_token"  # Flask-WTF's name of the form field, and of its place in the session
CSRF_SALT = "wtf-csrf-token"  # Flask-WTF's salt
KEPT_TOKENS = 1_024  # of one process
V = TypeVar("V")


class CsrfGuard(CSRFProtect):  # type: ignore[misc]
    """Refuses forms without a valid token. Reads need none."""

    def protect(self, apply_exemptions: bool = False) -> None:
        current_request = unwrap(request)
        if current_request.method in SAFE_METHODS:
            return
        if apply_exemptions and (not current_request.endpoint or self._is_exempt()):
            return
        if not self.has_valid_form():
            super().protect()  # finds the fault, and refuses

    def exempt(self, view: V) -> V:
        """Let a view, or all views of a blueprint, take requests without a form token."""
        exempted: V = super().exempt(view)
        return exempted

    def has_valid_form(self) -> bool:
        """Return True for a form with a valid token, and for a read. Checked once a request."""
        current_request, request_g = unwrap(request), unwrap(g)
        is_guarded = unwrap(current_app).config["WTF_CSRF_ENABLED"]  # not in tests
        if current_request.method in SAFE_METHODS or not is_guarded:
            return True
        if "has_valid_form" not in request_g:
            token = current_request.form.get(CSRF_FIELD)
            request_g.has_valid_form = self._is_referrer_trusted() and is_valid_token(token)
        return bool(request_g.has_valid_form)

    def _is_referrer_trusted(self) -> bool:
        """Return True unless an https form names another origin as its referrer, or none."""
        current_request = unwrap(request)
        if not current_request.is_secure:
            return True
        origin = f"https://{current_request.host}/"
        try:
            return bool(same_origin(current_request.referrer or "", origin))
        except ValueError:  # such as `https://[`, which Flask-WTF does not expect
            self._error_response("The referrer is no address.")
            return False


csrf = CsrfGuard()


def init(app: Flask) -> None:
    """Guard the forms of an app, and give its templates `csrf_token()`."""
    keys = [*(app.config.get("SECRET_KEY_FALLBACKS") or ()), app.secret_key or ""]
    serializer = URLSafeTimedSerializer(keys, CSRF_SALT)
    app.extensions["linnet.form_signer"] = serializer.make_signer(CSRF_SALT)
    csrf.init_app(app)
    app.jinja_env.globals[CSRF_FIELD] = csrf_token
    # Flask-WTF puts its own into every context, where it goes before the global.
    app.context_processor(lambda: {CSRF_FIELD: csrf_token})


def csrf_token() -> str:
    """Return the token of this request's forms."""
    form_session, flask_g = unwrap(session), unwrap(g)
    if CSRF_FIELD in form_session and CSRF_FIELD not in flask_g:
        token = _signer().sign(_payload(form_session[CSRF_FIELD])).decode()
        setattr(flask_g, CSRF_FIELD, token)
    return str(flask_g.get(CSRF_FIELD) or generate_csrf())


def is_valid_token(token: str | None) -> bool:
    """Return True if this is a form token of the browser that sends it."""
    form_session = unwrap(session)
    if not token or CSRF_FIELD not in form_session:
        return False
    try:
        payload = _unsigned(_signer(), token)
    except BadSignature:
        return False
    return compare_digest(payload, _payload(form_session[CSRF_FIELD]))


@lru_cache(KEPT_TOKENS)  # the buttons of a page send the same one
def _unsigned(signer: Signer, token: str) -> bytes:
    """Return the payload of a token. Raises BadSignature, which is not kept."""
    return signer.unsign(token)


def is_same_origin() -> bool | None:
    """Return whether a page of this site makes the request. None if the browser does not say."""
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        return site in ("same-origin", "none")
    return None if origin is None else origin == request.host_url.rstrip("/")


def require_same_origin() -> None:
    """Refuse a request that another site's page makes. For calls with a cookie but without a form.

    The browser's Sec-Fetch-Site or Origin decides; a client without either sends a form token as
    X-CSRFToken. Raises Forbidden.
    """
    same_origin = is_same_origin()
    if same_origin is None:
        same_origin = is_valid_token(request.headers.get("X-CSRFToken"))
    if not same_origin:
        raise Forbidden("elsewhere")


def _signer() -> Signer:
    return cast(Signer, unwrap(current_app).extensions["linnet.form_signer"])


def _payload(secret: str) -> bytes:
    """Return the payload that Flask-WTF signs: the session's secret as base64 of JSON."""
    return base64_encode(f'"{secret}"')

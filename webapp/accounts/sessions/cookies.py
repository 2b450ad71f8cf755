"""Setting and clearing the session cookie, and the one that names its session to scripts.

The latter lets a page that the browser kept find out whether its session is still the current one
(static/js/core/session.js). It opens nothing.
"""

import secrets
import time

from flask import g, request, session as form_session

from webapp.core.web import Response, config
from webapp.core.web.context import SAFE_METHODS, SESSION_COOKIES, unwrap

from .cookie_value import sha_of

VIEWER_COOKIE = "linnet_viewer"
PROOF = "suspended"  # in the signed cookie: a suspended member who proved their password
PROOF_SECONDS = 3_600  # that they may read why, and appeal
REQUESTED_ACT = "act"  # in the signed cookie: the path of what a visitor wants to do


def session_name(cookie: str) -> str:
    """Return the name of a cookie's session, "" for no cookie."""
    return sha_of(cookie)[:16] if cookie else ""


def set_session_cookie(response: Response, value: str) -> Response:
    """Set both cookies on a response, and return it."""
    own_name = SESSION_COOKIES[not request.is_secure]
    for name, content in ((own_name, value), (VIEWER_COOKIE, session_name(value))):
        response.set_cookie(
            name,
            content,
            max_age=config().session_days * 86_400,
            httponly=name == own_name,
            samesite="Lax",
            secure=request.is_secure,
        )
    return response


def clear_session_cookie(response: Response) -> Response:
    """Remove both cookies, over https also one without the prefix. Return the response."""
    for name in (*SESSION_COOKIES[not request.is_secure :], VIEWER_COOKIE):
        response.delete_cookie(name, samesite="Lax", httponly=True, secure=request.is_secure)
    return response


def remember_suspended(uid: int) -> None:
    """Note in the signed cookie that a suspended member has proved their password."""
    form_session[PROOF] = f"{uid} {int(time.time())}"


def suspended_uid() -> int | None:
    """Return the suspended member who proved their password within the hour, else None."""
    uid, _, at = str(form_session.get(PROOF, "")).partition(" ")
    return int(uid) if at and time.time() - int(at) < PROOF_SECONDS else None


def request_act() -> str:
    """Note in the signed cookie that a visitor saw how to join, to do what this page is about.

    Return the path that does it after a log-in. Only this browser has it, so that no link of
    somebody else's to a log-in ends in an act.
    """
    secret = form_session.setdefault("fresh", secrets.token_hex(8))
    form_session[REQUESTED_ACT] = f"{request.path}?by={secret}"
    return str(form_session[REQUESTED_ACT])


def take_requested_act() -> bool:
    """Return True, once, if the member signed in from this page to do what it is about."""
    is_requested = _is_act_requested()
    form_session.pop(REQUESTED_ACT, "")
    return is_requested


def is_write() -> bool:
    """Return True if this request may change something: a form, or a page that acts."""
    return unwrap(request).method not in SAFE_METHODS or _is_act_requested()


def _is_act_requested() -> bool:
    return bool(g.get("viewer") and form_session.get(REQUESTED_ACT) == request.full_path)


def renew_form_session() -> None:
    """Begin new form tokens. Notes go, but for the act that this log-in or sign-up leads to."""
    act = form_session.get(REQUESTED_ACT)
    form_session.clear()
    form_session["fresh"] = secrets.token_hex(8)
    if act and act == request.form.get("next"):
        form_session[REQUESTED_ACT] = act

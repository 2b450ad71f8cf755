"""Redirect addresses that people type, or that other programs know, to the pages they mean."""

import re

from flask import redirect, request, url_for
from flask.globals import request_ctx
from werkzeug.exceptions import HTTPException, NotFound

from webapp.accounts.store import get_by_login
from webapp.core.errors import NotFound as NoMember
from webapp.core.web import Response, db, unwrap

MEANT = {
    "/signin": "accounts.login",
    "/register": "accounts.signup",
    "/.well-known/change-password": "settings.password",
}
PROGRAMS = "/api/"  # their answers are JSON
LOGIN = re.compile(r"/(\w{1,15})", re.ASCII)


def redirect_typed_address() -> Response | None:
    """Redirect an address without a page to the page it means. None if there is none.

    Runs before every request, and does nothing where a route matches. Two trips for a single word:
    it may be a member's login.
    """
    error = unwrap(request).routing_exception
    if error is None or not isinstance(error, NotFound) or request.method not in ("GET", "HEAD"):
        return None
    path = request.path.rstrip("/")
    if f"{path}/".startswith(PROGRAMS):
        return None
    target = _page_at(path) if path != request.path else None
    if target is None and path in MEANT:
        target = url_for(MEANT[path])
    if target is None and (word := LOGIN.fullmatch(path)):
        target = _profile_of(word[1])
    return redirect(target, 303) if target else None


def _page_at(path: str) -> str | None:
    """Return the address of the page at a path, None if there is none."""
    try:
        endpoint, values = request_ctx.url_adapter.match(path, "GET")  # type: ignore[union-attr]
    except HTTPException:
        return None
    return url_for(endpoint, **values)


def _profile_of(login: str) -> str | None:
    try:
        member = get_by_login(db(), login)
    except NoMember:
        return None
    return url_for("timelines.profile", login=member.login)

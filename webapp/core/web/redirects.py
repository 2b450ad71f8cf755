"""Redirects after forms, to paths of this site only, and views that only do one act."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, current_app, flash, g, redirect, request, url_for
from flask_babel import LazyString
from werkzeug.wrappers import Response

from .context import site
from .rate_limits import rate_limited

ViewResponse = str | Response | tuple[str, int]

PATH_MAX = 1_000  # characters
BLANK_OR_CONTROL = re.compile(r"[\x00-\x20\x7f]")


def redirect_back(default: str, anchor: str = "", gone: str = "") -> Response:
    """Redirect to the page that the form names as `next`, or to `default`; there to `anchor`.

    `gone`: the path of a page that does not exist any longer.
    """
    target = request.form.get("next") or ""
    if gone and (target == gone or target.startswith((f"{gone}/", f"{gone}?"))):
        return redirect(default, 303)
    if anchor:
        path = safe_path(target.partition("#")[0]) or default
        return redirect(f"{path}#{anchor}", 303)
    return redirect(safe_path(target) or default, 303)


def done(sentence: str, endpoint: str, **values: Any) -> Response:
    """Say what was done, and redirect to the page of an endpoint. `values`: of its path."""
    flash(sentence)
    return redirect(url_for(endpoint, **values), 303)


def declare_act(
    bp: Blueprint,
    path: str,
    act: Callable[..., object],
    page: str,
    *limit: str,
    takes: Callable[[], Any] = site,
    said: LazyString | None = None,
    back: bool = False,
) -> None:
    """Declare an act of the viewer, which a POST of `path` asks for. Its endpoint has its name.

    `act`: takes what `takes` returns, the viewer's uid, and the values of the path in their order.
    `page`: the endpoint of the page that it leads to; with `back`, if the form names no other.
    `limit`: as of `rate_limited`. `said`: what is said afterwards, of the values of the path.
    """

    def view(**values: Any) -> Response:
        act(takes(), g.viewer.uid, *values.values())
        if said:
            flash(said % values)
        has = current_app.url_map.is_endpoint_expecting
        target = url_for(page, **{name: values[name] for name in values if has(page, name)})
        return redirect_back(target) if back else redirect(target, 303)

    bp.post(path, endpoint=act.__name__)(rate_limited(*limit)(view) if limit else view)


def wants_json() -> bool:
    """Return True if a script sent the form: it stays on its page, and takes JSON."""
    accepted = request.environ.get("HTTP_ACCEPT", "")
    return "json" in accepted and request.accept_mimetypes.best == "application/json"


def return_path() -> str:
    """Return the path that this page's forms lead back to: its own, with the cursor.

    It is empty in the response of a form.
    """
    return request.full_path.rstrip("?") if is_page_view() else ""


def referring_path(default: str) -> str:
    """Return the path of the page of this site that led to this one, or `default`."""
    referrer = request.referrer or ""
    if not referrer.startswith(request.host_url):
        return default
    return safe_path(f"/{referrer.removeprefix(request.host_url)}") or default


def is_page_view() -> bool:
    """Return True for requests that ask for a page which exists."""
    return request.method in ("GET", "HEAD") and request.endpoint is not None


def safe_path(target: str | None) -> str | None:
    """Return `target` if it is a path of this site, otherwise None."""
    if not target or not target.startswith("/") or target.startswith("//"):
        return None
    if len(target) > PATH_MAX or "\\" in target or BLANK_OR_CONTROL.search(target):
        return None
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    return None if parts.scheme or parts.netloc else target

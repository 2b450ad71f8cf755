"""Declare the buttons below a status."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, g, url_for
from flask_babel import LazyString
from werkzeug.wrappers import Response

from webapp.core.site import Site
from webapp.core.web.context import site
from webapp.core.web.rate_limits import rate_limited
from webapp.core.web.redirects import redirect_back


def lead_back(status_id: int) -> Response:
    """Redirect to the status on the page that the form names, by default on Home."""
    return redirect_back(url_for("timelines.home"), f"status-{status_id}")


def declare_button(
    bp: Blueprint,
    name: str,
    act: Callable[[Site, int, int], object],
    *limit: str,
    done: LazyString | None = None,
    answer: Callable[[int], Any] = lead_back,
    undoes: str = "",
) -> None:
    """Declare a button of the viewer on a status, whose path ends with its name.

    `act`: takes the viewer and the id of the status. `limit`: as of `rate_limited`. `done`: what is
    said afterwards. `answer`: makes the response. `undoes`: the button that it takes back; DELETE
    of its path does the same.
    """

    @rate_limited(*limit)
    def press(status_id: int) -> Any:
        act(site(), g.viewer.uid, status_id)
        if done:
            flash(str(done))
        return answer(status_id)

    bp.post(f"/statuses/<id:status_id>/{name}", endpoint=name)(press)
    if undoes:
        bp.delete(f"/statuses/<id:status_id>/{undoes}", endpoint=f"remove_{undoes}")(press)

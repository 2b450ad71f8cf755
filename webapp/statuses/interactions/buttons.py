"""Declare the buttons below a status."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, g, url_for
from flask_babel import LazyString

from webapp.core.store import Read
from webapp.core.web import Response, in_loop, prefetch, rate_limited, redirect_back, site


def lead_back(status_id: int) -> Response:
    """Redirect to the status on the page that the form names, by default on Home."""
    return redirect_back(url_for("timelines.home"), f"status-{status_id}")


def declare_button(
    bp: Blueprint,
    name: str,
    act: Callable[..., object],
    *limit: str,
    done: LazyString | None = None,
    answer: Callable[[int], Any] = lead_back,
    undoes: str = "",
    reads: Callable[[int], Read[Any]] | None = None,
) -> None:
    """Declare a button of the viewer on a status, whose path ends with its name.

    `act`: takes the viewer, the id of the status, and what `reads` read of it with the session.
    `limit`: as of `rate_limited`. `done`: what is said afterwards. `answer`: makes the response.
    `undoes`: the button that it takes back; DELETE of its path does the same.
    """

    def press(*found: Any, status_id: int) -> Any:
        act(site(), g.viewer.uid, status_id, *found)
        if done:
            flash(str(done))
        return answer(status_id)

    if reads:
        press = prefetch(lambda _requester, status_id: reads(status_id))(press)
    press = in_loop(rate_limited(*limit)(press))
    bp.post(f"/statuses/<id:status_id>/{name}", endpoint=name)(press)
    if undoes:
        bp.delete(f"/statuses/<id:status_id>/{undoes}", endpoint=f"remove_{undoes}")(press)

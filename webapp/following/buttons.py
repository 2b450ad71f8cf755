"""Declare the buttons on a member's profile, and the lists of members whom they act on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, flash, g, url_for
from flask_babel import LazyString
from werkzeug.wrappers import Response as AnyResponse

from webapp.accounts.member import Member
from webapp.core.store import Db, Site
from webapp.core.web import Page, cursor, private_page, rate_limited, redirect_back
from webapp.core.web.context import config, db, site


def declare_button(
    bp: Blueprint,
    path: str,
    act: Callable[[Site, int, str], Member],
    done: LazyString | None = None,
) -> None:
    """Declare a button of the viewer on a member, below the member's address.

    `act`: takes the viewer and the member's login. `done`: what is said afterwards, of `login`.
    """

    @rate_limited("follow")
    def press(login: str) -> AnyResponse:
        member = act(site(), g.viewer.uid, login)
        if done:
            flash(done % {"login": member.login})
        return redirect_to_profile(member.login)

    bp.post(f"/@<login:login>/{path}", endpoint=path.replace("-", "_"))(press)


def declare_list(
    bp: Blueprint,
    path: str,
    template: str,
    read_page: Callable[[Db, int, int | None, int], Page[Any]],
) -> None:
    """Declare the viewer's own page of members, which a function of a store returns."""

    def index() -> Response:
        page = read_page(db(), g.viewer.uid, cursor(), config().page_size)
        return private_page(template, page=page)

    bp.get(path)(index)


def redirect_to_profile(login: str) -> AnyResponse:
    """Redirect to the page that the form names, by default the member's profile."""
    return redirect_back(url_for("timelines.profile", login=login))

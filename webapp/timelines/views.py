"""The front page, and the home, public and profile timelines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, current_app, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ..accounts.store import uid_command, uid_from
from ..app import config, db
from ..db import Command
from ..events import NEWEST
from ..form_cookie import form_token
from ..frames import framed, hole, may_be_framed
from ..live import listening
from ..paging import Page, cursor, early_cursor
from ..pieces import kept
from ..security import beside
from ..security import public as open_to_all
from ..statuses.boosts import Item
from ..statuses.forms import new_key
from ..statuses.quotes import uids_of
from ..statuses.showing import article_parts
from ..statuses.sieving import sieved
from ..visitors import cached, shows, told_beside
from . import store
from .timeline import Timeline

bp = Blueprint("timelines", __name__)
LATEST = 5  # statuses on the front page


@bp.get("/")
@open_to_all
@cached()
def index() -> str | Response:
    """The front page for visitors; members go home."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    page = store.public(db(), config())
    latest = page.items[:LATEST]
    shows(uids_of(latest))
    return render_template("index.html", latest=latest, acts=page.acts)


def _home_commands(uid: int, session: str) -> list[Command]:
    g.asked = asked = store.Asked(db(), config(), uid, early_cursor(), session)
    return asked.commands


@bp.get("/home")
@beside(_home_commands)
def home() -> str | bytes:
    """What those one follows write, and a place to write oneself. Read beside the session."""
    replies = g.session.beside[-len(g.asked.commands) :]
    page = sieved(store.home(db(), config(), g.viewer.uid, cursor(), g.asked, replies), "home")
    feed = listening("home", page.position)
    if feed and page.next and page.items and not page.filtered and may_be_framed():
        return _framed_home(page, feed)
    return render_template("timelines/home.html", page=page, feed=feed)


def _unread() -> tuple[int, int]:
    chats, notifications = current_app.extensions["linnet.unread"]()
    return chats, notifications


def _framed_home(page: Timeline[Item], feed: dict[str, object]) -> bytes:
    """The same, for what is asked for most: nothing but what is this reader's own is made anew."""
    own: dict[str, str | list[bytes]] = {
        "rail": kept()("components/rail.html", "rail", g.viewer, request.endpoint, "timelines", False, *_unread(), ""),
        "composer": kept()("components/composer_form.html", "blank", g.viewer, False),
        "articles": article_parts(page.items, page.acts, where="home"),
        "position": page.position,
        "next": str(page.next),
        "csrf_token": form_token(),
        "new_form_key": new_key(),
    }
    some: Page[Any] = Page((hole("articles"),), hole("next"))  # type: ignore[arg-type]
    shown = {"page": some, "feed": feed | {"position": hole("position")}, "viewer": hole("viewer")}
    return framed("timelines/home.html", shown, own)


def _public_command(uid: int, session: str) -> Command:
    return store.public_command(config(), early_cursor())


@bp.get("/public")
@open_to_all
@beside(lambda uid, session: NEWEST, _public_command)
@cached("max_id")
def public() -> str:
    """What everybody writes. Members' pages are read beside the session."""
    viewer, told = (g.viewer.uid, g.session.beside[-2:]) if g.viewer else (None, None)
    page = sieved(store.public(db(), config(), cursor(), viewer, told), "public")
    shows(uids_of(page.items))
    return render_template("timelines/public.html", page=page, feed=listening("public", page.position))


def _owner_command(uid: int, session: str) -> Command:
    return uid_command((request.view_args or {})["login"])


@bp.get("/@<login>")
@open_to_all
@beside(_owner_command)
@cached("max_id", beside=uid_command)
def profile(login: str) -> str | Response:
    """A member and what they write, but for what they answer to others."""
    return _profile(login, answers=False)


@bp.get("/@<login>/replies")
@open_to_all
@beside(_owner_command)
@cached("max_id", beside=uid_command)
def replies(login: str) -> str | Response:
    """The same, with their replies."""
    return _profile(login, answers=True)


def _profile(login: str, answers: bool) -> str | Response:
    claims = g.session.beside[-1:] if g.session else told_beside()
    owner = uid_from(claims[0]) if claims else None
    shown, relation, page = store.profile(db(), config(), login, g.viewer, cursor(), answers, owner=owner)
    member = shown.member
    if member.login != login:
        return redirect(url_for(str(request.endpoint), login=member.login, max_id=cursor()), 301)
    shows(uids_of((*page.pinned, *page.items)).union({member.uid}))
    page, pinned = sieved(page, "profile"), sieved(Page(page.pinned), "profile")
    page = replace(page, pinned=pinned.items, filtered=(*pinned.filtered, *page.filtered))
    own = g.viewer is not None and g.viewer.uid == member.uid
    told = {
        "own": own,
        "shut": member.protected and not own and not (relation and relation.following),
        "feed": None if answers else listening(f"profile/{member.uid}", page.position),
        "answers": answers,
    }
    return render_template("timelines/profile.html", profile=shown, relation=relation, page=page, **told)

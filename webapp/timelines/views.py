"""The front page, and the home, public and profile timelines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, current_app, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ..accounts.store import uid_command, uid_from
from ..app import config, db
from ..db import Command
from ..events import NEWEST_LOG_ENTRY
from ..form_cookie import csrf_token
from ..frames import render_in_shell, placeholder, can_use_shell
from ..live import stream_for_timeline
from ..paging import Page, cursor, cursor_or_none
from ..pieces import fragments
from ..security import prefetch
from ..security import public as open_to_all
from ..statuses.boosts import Item
from ..statuses.forms import new_form_key
from ..statuses.quotes import uids_on_page
from ..statuses.showing import render_chunks
from ..statuses.sieving import without_filtered
from ..visitors import cached, depends_on_members, prefetched_replies
from . import store
from .timeline import Timeline

bp = Blueprint("timelines", __name__)
FRONT_PAGE_SIZE = 5  # statuses on the front page


@bp.get("/")
@open_to_all
@cached()
def index() -> str | Response:
    """The front page for visitors; members go home."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    page = store.public(db(), config())
    latest = page.items[:FRONT_PAGE_SIZE]
    depends_on_members(uids_on_page(latest))
    return render_template("index.html", latest=latest, viewer_state=page.viewer_state)


def _home_commands(uid: int, session: str) -> list[Command]:
    g.home_query = query = store.HomeQuery(db(), config(), uid, cursor_or_none(), session)
    return query.commands


@bp.get("/home")
@prefetch(_home_commands)
def home() -> str | bytes:
    """What those one follows write, and a place to write oneself. Read beside the session."""
    replies = g.session.prefetched[-len(g.home_query.commands) :]
    page = without_filtered(store.home(db(), config(), g.viewer.uid, cursor(), g.home_query, replies), "home")
    stream = stream_for_timeline("home", page.position)
    if stream and page.next and page.items and not page.filtered and can_use_shell():
        return _home_in_shell(page, stream)
    return render_template("timelines/home.html", page=page, feed=stream)


def _unread_counts() -> tuple[int, int]:
    chats, notifications = current_app.extensions["linnet.unread"]()
    return chats, notifications


def _home_in_shell(page: Timeline[Item], stream: dict[str, object]) -> bytes:
    """The same, for what is asked for most: nothing but what is this reader's own is made anew."""
    parts: dict[str, str | list[bytes]] = {
        "navigation": fragments()("components/rail.html", "navigation", g.viewer, request.endpoint, "timelines", False, *_unread_counts(), ""),
        "composer": fragments()("components/composer_form.html", "blank_composer", g.viewer, False),
        "render_statuses": render_chunks(page.items, page.viewer_state, filter_context="home"),
        "position": page.position,
        "next": str(page.next),
        "csrf_token": csrf_token(),
        "new_form_key": new_form_key(),
    }
    placeholder_page: Page[Any] = Page((placeholder("render_statuses"),), placeholder("next"))  # type: ignore[arg-type]
    context = {"page": placeholder_page, "feed": stream | {"position": placeholder("position")}, "viewer": placeholder("viewer")}
    return render_in_shell("timelines/home.html", context, parts)


def _public_command(uid: int, session: str) -> Command:
    return store.public_command(config(), cursor_or_none())


@bp.get("/public")
@open_to_all
@prefetch(lambda uid, session: NEWEST_LOG_ENTRY, _public_command)
@cached("max_id")
def public() -> str:
    """What everybody writes. Members' pages are read beside the session."""
    viewer, prefetched = (g.viewer.uid, g.session.prefetched[-2:]) if g.viewer else (None, None)
    page = without_filtered(store.public(db(), config(), cursor(), viewer, prefetched), "public")
    depends_on_members(uids_on_page(page.items))
    return render_template("timelines/public.html", page=page, feed=stream_for_timeline("public", page.position))


def _owner_command(uid: int, session: str) -> Command:
    return uid_command((request.view_args or {})["login"])


@bp.get("/@<login>")
@open_to_all
@prefetch(_owner_command)
@cached("max_id", prefetch=uid_command)
def profile(login: str) -> str | Response:
    """A member and what they write, but for what they answer to others."""
    return _profile(login, with_replies=False)


@bp.get("/@<login>/replies")
@open_to_all
@prefetch(_owner_command)
@cached("max_id", prefetch=uid_command)
def replies(login: str) -> str | Response:
    """The same, with their replies."""
    return _profile(login, with_replies=True)


def _profile(login: str, with_replies: bool) -> str | Response:
    owner_reply = g.session.prefetched[-1:] if g.session else prefetched_replies()
    owner = uid_from(owner_reply[0]) if owner_reply else None
    owner_profile, relation, page = store.profile(db(), config(), login, g.viewer, cursor(), with_replies, owner=owner)
    member = owner_profile.member
    if member.login != login:
        return redirect(url_for(str(request.endpoint), login=member.login, max_id=cursor()), 301)
    depends_on_members(uids_on_page((*page.pinned, *page.items)).union({member.uid}))
    page, pinned = without_filtered(page, "profile"), without_filtered(Page(page.pinned), "profile")
    page = replace(page, pinned=pinned.items, filtered=(*pinned.filtered, *page.filtered))
    is_own = g.viewer is not None and g.viewer.uid == member.uid
    context = {
        "own": is_own,
        "hidden_from_viewer": member.protected and not is_own and not (relation and relation.following),
        "feed": None if with_replies else stream_for_timeline(f"profile/{member.uid}", page.position),
        "with_replies": with_replies,
    }
    return render_template("timelines/profile.html", profile=owner_profile, relation=relation, page=page, **context)

"""The front page, and the home, public and profile timelines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, current_app, g, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from webapp.accounts.store import uid_of
from webapp.core.events.outbox import NEWEST_LOG_ENTRY
from webapp.core.forms.csrf import csrf_token
from webapp.core.live.live_updates import stream_for_timeline
from webapp.core.rendering.fragments import fragments
from webapp.core.rendering.shells import can_use_shell, placeholder, render_in_shell
from webapp.core.store.reads import Read
from webapp.core.web.context import config, db
from webapp.core.web.pagination import Page, cursor
from webapp.core.web.prefetch import Requester, prefetch
from webapp.core.web.view_options import public as open_to_all
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.filters.apply import without_filtered
from webapp.statuses.forms import new_form_key
from webapp.statuses.interactions.boosts import Item
from webapp.statuses.quotes.store import uids_on_page
from webapp.statuses.rendering import render_chunks

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


def _home_replies(requester: Requester) -> Read[tuple[store.HomeQuery, Sequence[Any]]]:
    query = store.HomeQuery(db(), config(), requester.uid or 0, cursor(), requester.session_key)
    return Read(tuple(query.commands), lambda replies: (query, replies))


@bp.get("/home")
@prefetch(_home_replies)
def home(prefetched: tuple[store.HomeQuery, Sequence[Any]]) -> str | bytes:
    """What those one follows write, and a place to write oneself. Read beside the session."""
    page = without_filtered(store.home(db(), config(), g.viewer.uid, cursor(), *prefetched), "home")
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
        "navigation": fragments()(
            "layout/navigation.html",
            "navigation",
            g.viewer,
            request.endpoint,
            "timelines",
            False,
            *_unread_counts(),
            "",
        ),
        "composer": fragments()("statuses/composer_form.html", "blank_composer", g.viewer, False),
        "render_statuses": render_chunks(page.items, page.viewer_state, filter_context="home"),
        "position": page.position,
        "next": str(page.next),
        "csrf_token": csrf_token(),
        "new_form_key": new_form_key(),
    }
    placeholder_page: Page[Any] = Page((placeholder("render_statuses"),), placeholder("next"))  # type: ignore[arg-type]
    context = {
        "page": placeholder_page,
        "feed": stream | {"position": placeholder("position")},
        "viewer": placeholder("viewer"),
    }
    return render_in_shell("timelines/home.html", context, parts)


def _public_replies(_: Requester) -> Read[Sequence[Any]]:
    return Read(
        (NEWEST_LOG_ENTRY, store.public_command(config(), cursor())), lambda replies: replies
    )


@bp.get("/public")
@open_to_all
@prefetch(_public_replies)
@cached("max_id")
def public(prefetched: Sequence[Any]) -> str:
    """What everybody writes. Members' pages are read beside the session."""
    viewer = g.viewer.uid if g.viewer else None
    page = without_filtered(store.public(db(), config(), cursor(), viewer, prefetched), "public")
    depends_on_members(uids_on_page(page.items))
    return render_template(
        "timelines/public.html", page=page, feed=stream_for_timeline("public", page.position)
    )


def _owner(_: Requester, login: str) -> Read[int]:
    return uid_of(login)


@bp.get("/@<login>")
@open_to_all
@prefetch(_owner)
@cached("max_id", prefetch=True)
def profile(owner: int, login: str) -> str | Response:
    """A member and what they write, but for what they answer to others."""
    return _profile(owner, login, with_replies=False)


@bp.get("/@<login>/replies")
@open_to_all
@prefetch(_owner)
@cached("max_id", prefetch=True)
def replies(owner: int, login: str) -> str | Response:
    """The same, with their replies."""
    return _profile(owner, login, with_replies=True)


def _profile(owner: int, login: str, with_replies: bool) -> str | Response:
    owner_profile, relation, page = store.profile(
        db(), config(), login, g.viewer, cursor(), with_replies, owner=owner
    )
    member = owner_profile.member
    if member.login != login:
        return redirect(url_for(str(request.endpoint), login=member.login, max_id=cursor()), 301)
    depends_on_members(uids_on_page((*page.pinned, *page.items)).union({member.uid}))
    page, pinned = without_filtered(page, "profile"), without_filtered(Page(page.pinned), "profile")
    page = replace(page, pinned=pinned.items, filtered=(*pinned.filtered, *page.filtered))
    is_own = g.viewer is not None and g.viewer.uid == member.uid
    context = {
        "own": is_own,
        "hidden_from_viewer": member.protected
        and not is_own
        and not (relation and relation.following),
        "feed": None
        if with_replies
        else stream_for_timeline(f"profile/{member.uid}", page.position),
        "with_replies": with_replies,
    }
    return render_template(
        "timelines/profile.html", profile=owner_profile, relation=relation, page=page, **context
    )

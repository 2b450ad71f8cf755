"""The front page, and the home, public and profile timelines."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from ..app import config, db
from ..paging import cursor
from ..security import public as open_to_all
from ..streams_url import stream_address
from ..visitors import cached, shows
from . import store

bp = Blueprint("timelines", __name__)
LATEST = 5  # statuses on the front page


@bp.get("/")
@open_to_all
@cached()
def index() -> str | Response:
    """The front page for visitors; members go home."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    latest = store.public(db(), config()).items[:LATEST]
    shows(status.author.uid for status in latest)
    return render_template("index.html", latest=latest)


@bp.get("/home")
def home() -> str:
    """What those one follows write, and a place to write oneself."""
    page = store.home(db(), config(), g.viewer.uid, cursor())
    return render_template("timelines/home.html", page=page, feed=_feed("home", page.position))


@bp.get("/public")
@open_to_all
@cached("max_id")
def public() -> str:
    """What everybody writes."""
    page = store.public(db(), config(), cursor(), g.viewer.uid if g.viewer else None)
    shows(status.author.uid for status in page.items)
    return render_template("timelines/public.html", page=page, feed=_feed("public", page.position))


@bp.get("/@<login>")
@open_to_all
@cached("max_id")
def profile(login: str) -> str | Response:
    """A member and what they write."""
    shown, relation, page = store.profile(db(), config(), login, g.viewer, cursor())
    if shown.member.login != login:
        return redirect(url_for("timelines.profile", login=shown.member.login, max_id=cursor()), 301)
    shows([shown.member.uid])
    own = g.viewer is not None and g.viewer.uid == shown.member.uid
    feed = _feed(f"profile/{shown.member.uid}", page.position)
    return render_template("timelines/profile.html", profile=shown, relation=relation, page=page, own=own, feed=feed)


def _feed(name: str, position: str) -> dict[str, object] | None:
    """What the newest page needs to tell of new posts (live.html); older pages do not."""
    if cursor() is not None:
        return None
    return {"stream": f"{stream_address()}/stream/{name}", "position": position, "most": config().page_size}

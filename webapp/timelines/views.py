"""The front page, and the home, public and profile timelines."""

from __future__ import annotations

from flask import Blueprint, g, redirect, render_template, url_for
from werkzeug.wrappers import Response

from ..app import config, db
from ..paging import cursor
from ..security import public as open_to_all
from ..statuses.forms import PostForm
from . import store

bp = Blueprint("timelines", __name__)
LATEST = 5  # statuses on the front page


@bp.get("/")
@open_to_all
def index() -> str | Response:
    """The front page for visitors; members go home."""
    if g.viewer:
        return redirect(url_for("timelines.home"), 303)
    return render_template("index.html", latest=store.public(db(), config()).items[:LATEST])


@bp.get("/home")
def home() -> str:
    """What those one follows write, and a place to write oneself."""
    return render_template(
        "timelines/home.html", page=store.home(db(), config(), g.viewer.uid, cursor()), form=PostForm()
    )


@bp.get("/public")
@open_to_all
def public() -> str:
    """What everybody writes."""
    return render_template("timelines/public.html", page=store.public(db(), config(), cursor()))


@bp.get("/@<login>")
@open_to_all
def profile(login: str) -> str | Response:
    """A member and what they write."""
    shown, relation, page = store.profile(db(), config(), login, g.viewer, cursor())
    if shown.member.login != login:
        return redirect(url_for("timelines.profile", login=shown.member.login, max_id=cursor()), 301)
    own = g.viewer is not None and g.viewer.uid == shown.member.uid
    return render_template("timelines/profile.html", profile=shown, relation=relation, page=page, own=own)

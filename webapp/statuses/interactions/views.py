"""Like, boost and bookmark buttons, and the lists of who likes or boosts.

A form leads back to its status. The script that sends it without leaving the page gets the new
state of the button instead.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Blueprint

from webapp.core.net.proxies import posting_network
from webapp.core.rendering.kept_pages import render_kept
from webapp.core.store import Site
from webapp.core.web import Response, config, cursor, db, viewer_uid, wants_json
from webapp.pagecache.decorators import cached, depends_on_members
from webapp.statuses.permalinks import canonical_redirect
from webapp.statuses.visibility.targets import StoredTarget, stored_target

from . import bookmarks, boosts, likers as likers_store, likes
from .button_rendering import button_state
from .buttons import declare_button, lead_back

bp = Blueprint("interactions", __name__)


def _boost(site: Site, uid: int, status_id: int, stored: StoredTarget) -> None:
    boosts.boost(site, uid, status_id, posting_network(config()), stored)


def _declare(name: str, act: Callable[..., object], undoes: str = "", **reads: Any) -> None:
    """Declare a button. Scripts get its new state."""

    def respond(status_id: int) -> Response | dict[str, Any]:
        if wants_json():
            return button_state(status_id, undoes or name, not undoes)
        return lead_back(status_id)

    declare_button(bp, name, act, "like", answer=respond, undoes=undoes, **reads)


_declare("like", likes.like, reads=stored_target)
_declare("unlike", likes.unlike, undoes="like")
_declare("boost", _boost, reads=stored_target)
_declare("unboost", boosts.unboost, undoes="boost")
_declare("bookmark", bookmarks.bookmark)
_declare("unbookmark", bookmarks.unbookmark, undoes="bookmark")


def _render_members(login: str, status_id: int, field: str) -> Response:
    """Show who likes or boosts a status."""
    viewer = viewer_uid()
    found = likers_store.likers(db(), status_id, cursor(), config().page_size, viewer, field)
    if response := canonical_redirect(found.author, login, max_id=cursor()):
        return response
    depends_on_members([found.author.uid, *(member.uid for member in found.page.items)])
    template = f"statuses/interactions/{field}.html"
    return render_kept(template, members_page=found, page=found.page, status_id=status_id)


for _name, _field in (("likers", "likes"), ("boosters", "boosts")):
    _view = cached("max_id")(partial(_render_members, field=_field))
    bp.get(f"/@<login>/<id:status_id>/{_field}", endpoint=_name)(_view)

"""The menu of a post."""

from datetime import UTC, datetime, timedelta

from flask import Blueprint, g

from webapp.core.store import created_at
from webapp.core.web import Response, config, db, prefetch, private_page, public, viewer_uid
from webapp.statuses.permalinks import canonical_redirect
from webapp.statuses.threads.conversations import stored_conversation

from .store import post_menu

bp = Blueprint("post_menu", __name__)


@bp.get("/@<login>/<id:status_id>/menu")
@public
@prefetch(lambda _, login, status_id: stored_conversation(status_id))
def show(conversation: int, login: str, status_id: int) -> Response:
    """Show the viewer's possible actions on a post and its author."""
    menu = post_menu(db(), status_id, conversation, viewer_uid())
    if response := canonical_redirect(menu.status.author, login):
        return response
    return private_page(
        "statuses/post_menu.html",
        menu=menu,
        is_own=bool(g.viewer) and g.viewer.uid == menu.status.author.uid,
        editable_minutes=_editable_minutes(menu.status.id),
    )


def _editable_minutes(status_id: int) -> int:
    """Return for how many more minutes the text of a status may be changed, 0 if no longer."""
    end = created_at(status_id) + timedelta(minutes=config().edit_minutes)
    return max(0, -((datetime.now(UTC) - end) // timedelta(minutes=1)))

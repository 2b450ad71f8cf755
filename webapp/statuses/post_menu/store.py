"""Read the data for the menu of a post."""

from dataclasses import dataclass

from webapp.core.store import Db, constant, read
from webapp.following.relations import Relation, relation
from webapp.statuses.interactions.keys import bookmarks
from webapp.statuses.status import Status
from webapp.statuses.store import get
from webapp.statuses.threads import hidden_replies
from webapp.statuses.threads.conversations import is_muted


@dataclass(frozen=True, slots=True)
class PostMenu:
    """A status, and the viewer's relation to its author: None for visitors and for the author."""

    status: Status
    relation: Relation | None = None
    is_bookmarked: bool = False
    is_muted: bool = False  # its conversation
    may_hide: bool = False  # as a reply in a thread that the viewer began
    is_hidden: bool = False


def post_menu(db: Db, status_id: int, conversation: int, viewer: int | None) -> PostMenu:
    """Return the facts that the menu of a post depends on. Two trips, three for a member.

    `conversation`: the id of its first post.
    Raises NotFound, Forbidden (as `statuses.store.get`).
    """
    status = get(db, status_id, viewer)
    if viewer is None:
        return PostMenu(status)
    is_own = viewer == status.author.uid
    facts = db.fetch(
        constant(None) if is_own else relation(viewer, status.author.uid, 1),
        read(("ZSCORE", bookmarks(viewer), status_id), bool),
        is_muted(viewer, conversation),
        hidden_replies.may_hide(viewer, status),
        hidden_replies.is_hidden(viewer, status_id),
    )
    return PostMenu(status, *facts)

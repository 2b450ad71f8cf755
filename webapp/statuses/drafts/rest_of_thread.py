"""A thread of which a post is refused: what is left of it becomes a draft."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.errors import Refused
from webapp.statuses.compose.thread_parts import FIELD_NAMES

from . import keys, store


class RestIsDraft(Exception):
    """Raised after some posts of a thread are out and the rest is a draft.

    `posted`: how many are out. `refusal`: why the next one is not.
    """

    def __init__(self, posted: int, refusal: Refused) -> None:
        super().__init__(posted)
        self.posted = posted
        self.refusal = refusal


def save_rest(
    db: Db, config: Config, uid: int, form_key: str, parent: int, texts: Sequence[str], warning: str
) -> None:
    """Save what is left of a thread as the draft of its form, in reply to its last post. One trip.

    The form that is sent again finishes the thread and removes the draft. Raises Conflict
    (drafts_max reached), NotFound, Forbidden, Unavailable.
    """
    fields = {"text": texts[0], "reply": str(parent), "cw": warning}
    fields |= dict(zip(FIELD_NAMES, texts[1:], strict=False))
    store.save(db, config, uid, form_key, fields)


def unschedule(db: Db, uid: int, form_key: str) -> None:
    """Keep the draft of a form, if there is one, but do not post it by itself. One trip."""
    db.trip(
        ("ZREM", keys.scheduled_posts(partition_of(uid)), f"{uid}:{form_key}"),
        ("HDEL", keys.draft(uid, form_key), "due"),
    )

"""Statuses: posting, deleting, and reading them one by one or many in a trip."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Unpack

from webapp.accounts import keys as account_keys
from webapp.config import Config, Rate
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.i18n import language_detection
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.text.parser import Parsed
from webapp.core.web import rate_limits
from webapp.following import keys as following_keys
from webapp.statuses.attachments import keys as attachment_keys
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.polls import keys as poll_keys
from webapp.timelines import keys as timeline_keys

from . import keys
from .attachments.pictures import picture_names
from .attachments.places import Place, place_fields
from .entity_codec import pack_entities
from .hydration import hydrate
from .interactions.viewer_reads import recent_counts
from .interactions.viewer_state import ViewerState
from .lookup import Entry, entries_of, statuses
from .new_status import StatusOptions, fingerprint, options_to_fields
from .status import Status
from .threads.replies import load_parent, reply_fields
from .visibility.reply_policy import resolve_reply_rule
from .visibility.targets import load_quotable, not_owner_error
from .visibility.visibility import mentioned_uids, resolve_visibility
from .visibility.visibility import pack_uids as pack_named

__all__ = ["Entry", "delete", "get", "get_with_state", "hydration", "post", "with_authors"]

POST = script("statuses/lua/post.lua")
DELETE = script("statuses/lua/delete.lua")

# Turns the replies to a hydration's commands into statuses, None for one that is gone.
StatusParser = Callable[[Sequence[Any]], "list[Status | None]"]


def post(
    db: Db,
    config: Config,
    uid: int,
    parsed: Parsed,
    form_key: str,
    place: Place | None = None,
    rate: Rate | None = None,
    draft_saved: str = "",
    **options: Unpack[StatusOptions],
) -> int:
    """Posts a status and returns its id; the same id again for the same text with the same form key, whose draft goes.
    `limit`: how often this member may, counted with what is posted in one step. `draft`: when the draft that is posted
    was saved. Raises Unavailable, Forbidden, RateLimited, Conflict; NotFound, also when the draft is another one.
    """
    p = partition_of(uid)
    parent = load_parent(db, uid, reply) if (reply := options.get("reply")) else None
    quoted_author = (
        load_quotable(db, uid, quote).author.uid if (quote := options.get("quote")) else ""
    )
    visibility = resolve_visibility(
        options.get("visibility"), parent.visibility if parent else None
    )
    mentioned = (
        mentioned_uids(db, parsed.entities, parent.author.uid if parent else None)
        if visibility.restricted
        else ()
    )
    # A browser that goes back to a form keeps its key: with another text, other pictures or for others it is another.
    key_source = f"{form_key} {fingerprint(options)} {visibility.value} {parsed.text}"
    idempotency_key = hashlib.sha256(key_source.encode()).hexdigest()[:32]
    names = [
        account_keys.user(uid),
        keys.last_status_id(p),
        keys.post_idempotency(uid, idempotency_key),
        keys.profile_statuses(uid),
        timeline_keys.home(uid),
    ]
    names += [
        event_keys.outbox(p),
        keys.status.prefix(uid),
        timeline_keys.active_members(p),
        keys.post_rate_limit(uid),
        draft_keys.draft(uid, form_key),
    ]
    names += [
        draft_keys.drafts(uid),
        draft_keys.scheduled_posts(p),
        keys.profile_replies(uid),
        following_keys.blocks(uid),
        following_keys.blockers(uid),
    ]
    names += [
        attachment_keys.uploads(p),
        keys.restricted_statuses(uid, ""),
        poll_keys.poll_deadlines(p),
    ]
    args = [uid, p, parsed.text, pack_entities(parsed.entities), config.post_key_hours * 3600]
    args += [config.home_max, config.home_slack, config.outbox_max, *request_id_args()]
    args += [*((rate.burst, rate.period) if rate else (0, 0)), form_key, draft_saved]
    reply_rule = resolve_reply_rule(
        db,
        uid,
        parsed.entities,
        options.get("answerers"),
        parent.stored_reply_rule if parent else None,
    )
    args += [
        *reply_fields(parent),
        *options_to_fields(options),
        "may",
        reply_rule,
        "quoted",
        quoted_author,
    ]
    args += ["vis", visibility.value, "who", pack_named(mentioned), *place_fields(place)]
    result = int(
        db.run(POST(names, *args, "lang", language_detection.detect(parsed.text, parsed.entities)))
    )
    if result < 0:
        raise rate_limits.limit_error(-result)
    return result


def delete(db: Db, config: Config, uid: int, status_id: int) -> tuple[str, ...]:
    """Deletes a member's own status; returns the names of its pictures, whose files are to go. Raises NotFound;
    Forbidden when it is somebody else's.
    """
    partition = partition_of(status_id)
    if partition != partition_of(uid):  # its author lives elsewhere, so it cannot be this member's
        raise not_owner_error(db, status_id)
    own_keys = [
        keys.status(status_id),
        keys.profile_statuses(uid),
        timeline_keys.home(uid),
        keys.profile_replies(uid),
        event_keys.outbox(partition),
    ]
    names = [
        *own_keys,
        interaction_keys.likers(status_id),
        keys.replies(status_id),
        keys.thread(status_id),
        keys.status_versions(status_id),
    ]
    names += [
        keys.pinned_statuses(uid),
        attachment_keys.uploads(partition),
        keys.restricted_statuses(uid, ""),
        interaction_keys.boosters(status_id),
    ]
    names += [
        poll_keys.votes(status_id),
        poll_keys.poll_deadlines(partition),
        keys.quotes(status_id),
        keys.detached_quotes(status_id),
    ]
    names.append(account_keys.user(uid))
    return picture_names(
        db.run(DELETE(names, uid, status_id, partition, config.outbox_max, *request_id_args()))
    )


def get(db: Db, status_id: int, viewer: int | None = None) -> Status:
    """Return one status. Two trips.

    Raises NotFound, also if it is not meant for the viewer; Forbidden if its author is suspended
    or hidden from the viewer.
    """
    return get_with_state(db, status_id, viewer, with_counts=False)[0]


def get_with_state(
    db: Db, status_id: int, viewer: int | None, with_counts: bool = True
) -> tuple[Status, ViewerState]:
    """Return one status and what a viewer did with it. Two trips, one more if it was just now.

    `with_counts`: read exact counts of what the viewer did just now. Raises as `get`.
    """
    page = db.read(hydrate(db.read(entries_of([status_id])), viewer))
    found = page.items[0] if page.items else None
    status = page.relationship.require_visible(found if isinstance(found, Status) else None)
    if not with_counts:
        return status, page.viewer_state
    return status, db.read(recent_counts(viewer, page.viewer_state))


def with_authors(db: Db, status_ids: Sequence[int]) -> list[Entry]:
    """Return `entries_of` the statuses. One trip."""
    return db.read(entries_of(status_ids))


def hydration(entries: Sequence[Entry]) -> tuple[list[Command], StatusParser]:
    """Return `statuses` as commands and a parser."""
    read = statuses(entries)
    return list(read.commands), read.parse

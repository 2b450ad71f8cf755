"""Drafts and scheduled posts: delayed tasks in a sorted set (after Redis in Action, 6.4.2).

A draft holds the fields of a form under the form's key. Posting with this key removes the draft in
the same script, so nothing is both posted and still a draft.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from webapp.accounts import keys as account_keys
from webapp.accounts.quote_policy import parse_quote_policy
from webapp.config import Config
from webapp.core.logs import log
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import Unacceptable, parse
from webapp.errors import SENTENCES, Conflict, Forbidden, NotFound, RateLimited, Unavailable
from webapp.statuses.attachments import place_forms
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.polls import forms as polls_forms
from webapp.statuses.store import post
from webapp.statuses.visibility.reply_policy import parse_reply_policy
from webapp.statuses.visibility.visibility import parse_visibility

from . import keys

SAVE = script("statuses/drafts/lua/save_draft.lua")
DELETE = script("statuses/drafts/lua/delete_draft.lua")
FAIL = script("statuses/drafts/lua/fail_draft.lua")
TEXT_FIELDS = (
    "text",
    "cw",
    "lat",
    "long",
    "place",
    "reply",
    "visibility",
    "answerers",
    "quote",
    "quoting",
)
FIELDS = (*TEXT_FIELDS, *polls_forms.FIELD_NAMES)  # of a form
FIELD_MAX = 4_000  # characters of a field that are saved
BATCH = 20  # posts of one partition in one go


@dataclass(frozen=True, slots=True)
class Draft:
    """A saved form. `due`: when it is posted. `error_code`: why it could not be."""

    form_key: str
    fields: Mapping[str, str]
    saved_ms: str
    due: datetime | None = None
    error_code: str = ""

    @property
    def saved_at(self) -> datetime:
        """Return when it was saved, in UTC."""
        return datetime.fromtimestamp(int(self.saved_ms) / 1000, UTC)

    @property
    def error_message(self) -> str:
        """Return the sentence that says why it could not be posted."""
        return str(SENTENCES.get(self.error_code, SENTENCES["draft_invalid"]))


def save(
    db: Db,
    config: Config,
    uid: int,
    form_key: str,
    fields: Mapping[str, str],
    due: datetime | None = None,
) -> None:
    """Save a draft, in place of one with this form key. With `due` it is posted then. One trip.

    Raises Conflict (drafts_max reached), NotFound, Forbidden.
    """
    stored = {name: value[:FIELD_MAX] for name in FIELDS if (value := fields.get(name, ""))}
    due_ms = int(due.timestamp() * 1000) if due else ""
    db.run(
        SAVE(
            draft=keys.draft(uid, form_key),
            drafts=keys.drafts(uid),
            user=account_keys.user(uid),
            scheduled=keys.scheduled_posts(partition_of(uid)),
            uid=uid,
            form_key=form_key,
            fields=orjson.dumps(stored).decode(),
            due=due_ms,
            limit=config.drafts_max,
        )
    )


def delete(db: Db, uid: int, form_key: str) -> None:
    """Delete a draft. One trip. Raises NotFound."""
    if not discard(db, uid, form_key):
        raise NotFound("no_draft")


def discard(db: Db, uid: int, form_key: str) -> bool:
    """Delete a draft, and return whether there was one. One trip."""
    command = DELETE(
        draft=keys.draft(uid, form_key),
        drafts=keys.drafts(uid),
        scheduled=keys.scheduled_posts(partition_of(uid)),
        uid=uid,
        form_key=form_key,
    )
    return bool(db.run(command))


def get(db: Db, uid: int, form_key: str) -> Draft:
    """Return one of a member's drafts. One trip. Raises NotFound."""
    draft = _parse_draft(form_key, db.run(_draft_command(uid, form_key)))
    if draft is None:
        raise NotFound("no_draft")
    return draft


def list_all(db: Db, uid: int) -> tuple[list[Draft], list[Draft]]:
    """Return scheduled posts, the next first, and drafts, the newest first. Two trips."""
    form_keys = db.run(("ZRANGE", keys.drafts(uid), 0, -1, "REV"))
    replies = db.trip(*(_draft_command(uid, form) for form in form_keys))
    drafts = [
        draft
        for form, reply in zip(form_keys, replies, strict=True)
        if (draft := _parse_draft(form, reply))
    ]
    scheduled = [(draft.due, draft) for draft in drafts if draft.due]
    return [one for _, one in sorted(scheduled, key=lambda pair: pair[0])], [
        one for one in drafts if not one.due
    ]


def publish_due(db: Db, config: Config, partitions: Iterable[int]) -> None:
    """Post what is due in these partitions, up to BATCH in each.

    Safe to repeat, and to run twice at the same time.
    """
    bounds = ("-inf", int(time.time() * 1000), "BYSCORE", "LIMIT", 0, BATCH)
    for due in db.trip(*(("ZRANGE", keys.scheduled_posts(p), *bounds) for p in partitions)):
        for entry in due:
            uid, _, form_key = entry.partition(":")
            _publish(db, config, int(uid), form_key)


def _publish(db: Db, config: Config, uid: int, form_key: str) -> None:
    """Post a due draft, or record why it cannot be."""
    draft = _parse_draft(form_key, db.run(_draft_command(uid, form_key)))
    schedule_key, entry = keys.scheduled_posts(partition_of(uid)), f"{uid}:{form_key}"
    if draft is None or draft.due is None:  # deleted, or saved without a time, meanwhile
        db.run(("ZREM", schedule_key, entry))
        return
    try:
        _post_draft(db, config, uid, draft)
    except (RateLimited, Unavailable) as refusal:
        retry_at = int(time.time() + (refusal.retry_after or 5)) * 1000
        db.run(("ZADD", schedule_key, "XX", "GT", retry_at, entry))
    except NotFound as refusal:
        # Else the draft was saved again, posted or deleted meanwhile, or the account is gone.
        if refusal.code == "no_status":
            _fail(db, uid, draft, refusal.code)
    except (Forbidden, Conflict, Unacceptable, ValueError) as refusal:
        log.info("draft of uid=%d is not posted: %s", uid, refusal)
        _fail(db, uid, draft, getattr(refusal, "code", "draft_invalid"))


def _post_draft(db: Db, config: Config, uid: int, draft: Draft) -> None:
    """Post a draft. Raises ValueError or Unacceptable if a field is not valid, and as `post`."""
    fields = draft.fields
    options = StatusOptions(
        reply=int(fields.get("reply", 0)) or None,
        cw=clean_line(fields.get("cw", ""), config.cw_max),
        visibility=parse_visibility(fields.get("visibility", "")),
        poll=polls_forms.poll_from_fields(fields),
        answerers=parse_reply_policy(fields.get("answerers", "")),
        quote=int(fields.get("quote", 0)) or None,
        quoting=parse_quote_policy(fields.get("quoting")),
    )
    post(
        db,
        config,
        uid,
        parse(fields.get("text", ""), config.status_max),
        draft.form_key,
        place_forms.place_from_fields(fields),
        config.limit_post,
        draft.saved_ms,
        **options,
    )


def _fail(db: Db, uid: int, draft: Draft, reason: str) -> None:
    db.run(
        FAIL(
            draft=keys.draft(uid, draft.form_key),
            scheduled=keys.scheduled_posts(partition_of(uid)),
            uid=uid,
            form_key=draft.form_key,
            saved=draft.saved_ms,
            reason=reason,
        )
    )


def _draft_command(uid: int, form_key: str) -> tuple[Any, ...]:
    return ("HMGET", keys.draft(uid, form_key), "fields", "saved", "due", "failed")


def _parse_draft(form_key: str, reply: list[str | None]) -> Draft | None:
    fields, saved, due, failed = reply
    if fields is None or saved is None:
        return None
    due_at = datetime.fromtimestamp(int(due) / 1000, UTC) if due else None
    return Draft(form_key, orjson.loads(fields), saved, due_at, failed or "")

"""Drafts, and posts that wait for their time (after Redis in Action, 6.4.2: delayed tasks in a sorted set).

A draft is the fields of the form that posts, as they were left, under that form's key. Posting with this key takes the
draft away in the same script, so that nothing is both posted and still a draft.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from .. import keys
from ..accounts.quoting import of_word as quoting_of
from ..config import Config
from ..db import Db
from ..errors import SENTENCES, Conflict, Forbidden, NotFound, RateLimited, Unavailable
from ..ids import partition_of
from ..logs import log
from ..scripts import script
from ..text import Unacceptable, clean_line, parse
from . import answerers, place_forms, poll_forms
from .said import Said
from .store import post
from .visibility import of_word

SAVE = script("statuses/save_draft.lua")
DROP = script("statuses/drop_draft.lua")
FAIL = script("statuses/fail_draft.lua")
WORDS = ("text", "cw", "lat", "long", "place", "reply", "visibility", "answerers", "quote", "quoting")
FIELDS = (*WORDS, *poll_forms.NAMES)  # of the form that posts
LONGEST = 4_000  # characters of a field that are kept
BATCH = 20  # posts of one partition in one go


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft: its form's key, fields, when it was saved; when it is to be posted, or why it could not be."""

    form: str
    fields: Mapping[str, str]
    saved: str
    due: datetime | None = None
    failed: str = ""

    @property
    def saved_at(self) -> datetime:
        """When it was saved, in UTC."""
        return datetime.fromtimestamp(int(self.saved) / 1000, UTC)

    @property
    def reason(self) -> str:
        """Why it could not be posted, in words."""
        return str(SENTENCES.get(self.failed, SENTENCES["draft_invalid"]))


def save(db: Db, config: Config, uid: int, form: str, fields: Mapping[str, str], due: datetime | None = None) -> None:
    """Keeps a draft, in place of one with this form's key; with `due` it is posted then. Raises Conflict at DRAFTS_MAX,
    NotFound, Forbidden.
    """
    kept = {name: value[:LONGEST] for name in FIELDS if (value := fields.get(name, ""))}
    at = int(due.timestamp() * 1000) if due else ""
    names = [keys.draft(uid, form), keys.drafts(uid), keys.user(uid), keys.later(partition_of(uid))]
    db.run(SAVE(names, uid, form, orjson.dumps(kept).decode(), at, config.drafts_max))


def drop(db: Db, uid: int, form: str) -> None:
    """Deletes a draft. Raises NotFound."""
    if not discard(db, uid, form):
        raise NotFound("no_draft")


def discard(db: Db, uid: int, form: str) -> bool:
    """Deletes a draft, if there is one."""
    names = [keys.draft(uid, form), keys.drafts(uid), keys.later(partition_of(uid))]
    return bool(db.run(DROP(names, uid, form)))


def get(db: Db, uid: int, form: str) -> Draft:
    """One of a member's drafts. Raises NotFound."""
    found = _draft(form, db.run(_command(uid, form)))
    if found is None:
        raise NotFound("no_draft")
    return found


def listed(db: Db, uid: int) -> tuple[list[Draft], list[Draft]]:
    """A member's posts that wait for their time, the next one first; and their drafts, the newest first. Two trips."""
    forms = db.run(("ZRANGE", keys.drafts(uid), 0, -1, "REV"))
    replies = db.trip(*(_command(uid, form) for form in forms))
    found = [draft for form, reply in zip(forms, replies, strict=True) if (draft := _draft(form, reply))]
    waiting = [(draft.due, draft) for draft in found if draft.due]
    return [one for _, one in sorted(waiting, key=lambda pair: pair[0])], [one for one in found if not one.due]


def post_due(db: Db, config: Config, partitions: Iterable[int]) -> None:
    """Posts what is due in these partitions, up to BATCH in each. Safe to do twice, and by two workers at once."""
    bounds = ("-inf", int(time.time() * 1000), "BYSCORE", "LIMIT", 0, BATCH)
    for due in db.trip(*(("ZRANGE", keys.later(p), *bounds) for p in partitions)):
        for entry in due:
            uid, _, form = entry.partition(":")
            _post(db, config, int(uid), form)


def _post(db: Db, config: Config, uid: int, form: str) -> None:
    draft, later = _draft(form, db.run(_command(uid, form))), keys.later(partition_of(uid))
    try:
        if draft is None or draft.due is None:  # gone meanwhile, or not to be posted any more
            db.run(("ZREM", later, f"{uid}:{form}"))
            return
        place, cw = place_forms.of_fields(draft.fields), clean_line(draft.fields.get("cw", ""), config.cw_max)
        parsed = parse(draft.fields.get("text", ""), config.status_max)
        reply = int(draft.fields.get("reply", 0)) or None
        repliers, poll = answerers.of_word(draft.fields.get("answerers", "")), poll_forms.of_fields(draft.fields)
        said = Said(reply=reply, cw=cw, visibility=of_word(draft.fields.get("visibility", "")), poll=poll)
        said["answerers"], said["quote"] = repliers, int(draft.fields.get("quote", 0)) or None
        said["quoting"] = quoting_of(draft.fields.get("quoting"))
        post(db, config, uid, parsed, form, place, config.limit_post, draft.saved, **said)
    except (RateLimited, Unavailable) as refusal:
        at = int(time.time() + (refusal.retry_after or 5)) * 1000
        db.run(("ZADD", later, "XX", "GT", at, f"{uid}:{form}"))
    except NotFound as refusal:  # saved anew, posted or deleted meanwhile; or the account is gone
        if refusal.code == "no_status":  # what it answers
            db.run(FAIL([keys.draft(uid, form), later], uid, form, draft.saved if draft else "", refusal.code))
    except (Forbidden, Conflict, Unacceptable, ValueError) as refusal:
        log.info("draft of uid=%d is not posted: %s", uid, refusal)
        reason = getattr(refusal, "code", "draft_invalid")
        db.run(FAIL([keys.draft(uid, form), later], uid, form, draft.saved if draft else "", reason))


def _command(uid: int, form: str) -> tuple[Any, ...]:
    return ("HMGET", keys.draft(uid, form), "fields", "saved", "due", "failed")


def _draft(form: str, reply: list[str | None]) -> Draft | None:
    fields, saved, due, failed = reply
    if fields is None or saved is None:
        return None
    at = datetime.fromtimestamp(int(due) / 1000, UTC) if due else None
    return Draft(form, orjson.loads(fields), saved, at, failed or "")

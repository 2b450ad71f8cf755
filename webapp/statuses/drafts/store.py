"""Drafts and scheduled posts: delayed tasks in a sorted set (after Redis in Action, 6.4.2).

A draft holds the fields of a form and its pictures under the form's key. Posting with this key
removes the draft in the same script, so nothing is both posted and still a draft.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from webapp.core.errors import SENTENCES, NotFound
from webapp.core.store import Db, Read, Site, read, script
from webapp.core.text.parser import MAX_CODE_POINTS
from webapp.statuses.compose import thread_parts
from webapp.statuses.polls import forms as polls_forms
from webapp.statuses.values.pictures import Picture, pack_pictures, picture_names, unpack_pictures

from . import keys

SAVE = script("statuses/drafts/lua/save_draft.lua")
DELETE = script("statuses/drafts/lua/delete_draft.lua")
TEXT_FIELDS = (
    *("text", "cw", "sensitive", "lat", "long", "place", "reply", "group"),
    *("visibility", "reply_policy", "quote", "quote_policy"),
    "at",  # the time in a form that is not scheduled, in UTC if it can be parsed
)
FIELDS = (*TEXT_FIELDS, *thread_parts.DRAFT_FIELDS, *polls_forms.FIELD_NAMES)  # of a form
COUNTS = tuple(f"{name}_{thread_parts.COUNT}" for name in thread_parts.FIELD_NAMES)
DECISIONS = ("in_review", "withheld")  # of moderators, in place of an error
STORED = ("fields", "saved", "due", "failed", "reviewed", "media")
FIELD_MAX = MAX_CODE_POINTS  # of a field: whatever can be posted is saved whole


@dataclass(frozen=True, slots=True)
class Draft:
    """A saved form with its pictures. `due`: when it is posted. `error_code`: why it could not.

    `reviewed`: a moderator has published it.
    """

    form_key: str
    fields: Mapping[str, str]
    saved_ms: str
    due: datetime | None = None
    error_code: str = ""
    reviewed: bool = False
    pictures: tuple[Picture, ...] = ()

    @property
    def saved_at(self) -> datetime:
        """Return when it was saved, in UTC."""
        return datetime.fromtimestamp(int(self.saved_ms) / 1000, UTC)

    @property
    def is_autosaved(self) -> bool:
        """Return True if it is saved while it is written: it neither waits nor was withheld."""
        return self.due is None and self.error_code not in DECISIONS

    @property
    def number_of_posts(self) -> int:
        """Return how many posts it becomes: 1, or those of a thread."""
        return len(self.posts)

    @property
    def posts(self) -> list[dict[str, Any]]:
        """Return the fields of each post, and its `pictures`."""
        return thread_parts.posts_of_draft(self.fields, self.pictures)

    @property
    def error_reason(self) -> str:
        """Return the sentence that says why it has not been posted."""
        return str(SENTENCES.get(self.error_code, SENTENCES["draft_invalid"]))

    @property
    def error_message(self) -> str:
        """Return `error_reason`, after a sentence that says what went wrong, unless it says so."""
        begins = "" if self.error_code in DECISIONS else f"{SENTENCES['posted_late']} "
        return begins + self.error_reason


def save(
    site: Site,
    uid: int,
    form_key: str,
    fields: Mapping[str, str],
    due: datetime | None = None,
    pictures: Sequence[Picture] = (),
    replaces: bool = True,
    expected: str = "",
) -> bool:
    """Save a draft, in place of one with this form key. With `due` it is posted then. One trip.

    Without it the draft is no longer scheduled. Unless it `replaces`, leave one that is not
    autosaved as it is, and return False if that is another one. `expected`: `saved_ms` of the one
    that it replaces; NotFound if that was posted, deleted or saved again meanwhile.
    `pictures`: staged ones, and those that the draft has. Raises Conflict (drafts_max reached, or
    a picture is gone), NotFound, Forbidden.
    """
    kept = {name: value[:FIELD_MAX] for name in FIELDS if (value := fields.get(name, ""))}
    counts = {name: value for name in COUNTS if (value := fields.get(name, ""))}
    reply = site.run(
        SAVE,
        uid=uid,
        form_key=form_key,
        fields=orjson.dumps(kept | counts).decode(),
        media=pack_pictures(pictures, with_digest=True),
        due=int(due.timestamp() * 1000) if due else "",
        replaces="1" if replaces else "",
        expected=expected,
    )
    return bool(reply)


def delete(db: Db, uid: int, form_key: str) -> tuple[str, ...]:
    """Delete a draft. Return the names of its pictures, to be removed. One trip.

    Raises NotFound.
    """
    names = discard(db, uid, form_key)
    if names is None:
        raise NotFound("no_draft")
    return names


def discard(db: Db, uid: int, form_key: str, automatic: bool = False) -> tuple[str, ...] | None:
    """Delete a draft. Return the names of its pictures, None if there was no draft. One trip.

    `automatic`: leave one that is not autosaved as it is.
    """
    media = db.run(DELETE(uid=uid, form_key=form_key, automatic="1" if automatic else ""))
    return None if media is None else picture_names(media)


def get(db: Db, uid: int, form_key: str) -> Draft:
    """Return one of a member's drafts. One trip. Raises NotFound."""
    return NotFound.unless(db.read(draft(uid, form_key)), "no_draft")


def list_all(db: Db, uid: int) -> tuple[list[Draft], list[Draft]]:
    """Return scheduled posts, the next first, and drafts, the newest first. Two trips."""
    form_keys = db.run(("ZRANGE", keys.drafts(uid), 0, -1, "REV"))
    replies = db.trip(*(draft_command(uid, form) for form in form_keys))
    drafts = [
        draft
        for form, reply in zip(form_keys, replies, strict=True)
        if (draft := parse_draft(form, reply))
    ]
    scheduled = [(draft.due, draft) for draft in drafts if draft.due]
    return [one for _, one in sorted(scheduled, key=lambda pair: pair[0])], [
        one for one in drafts if not one.due
    ]


def draft(uid: int, form_key: str) -> Read[Draft | None]:
    """Read one of a member's drafts, None if it is gone."""
    return read(draft_command(uid, form_key), lambda reply: parse_draft(form_key, reply))


def draft_command(uid: int, form_key: str) -> tuple[Any, ...]:
    return ("HMGET", keys.draft(uid, form_key), *STORED)


def parse_draft(form_key: str, reply: list[str | None]) -> Draft | None:
    fields, saved, due, failed, reviewed, media = reply
    if fields is None or saved is None:
        return None
    due_at = datetime.fromtimestamp(int(due) / 1000, UTC) if due else None
    state = (due_at, failed or "", bool(reviewed))
    return Draft(form_key, orjson.loads(fields), saved, *state, unpack_pictures(media))

"""Posting scheduled drafts when they are due."""

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from webapp.accounts.settings.quote_policy import parse_quote_policy
from webapp.config import Config
from webapp.core.errors import (
    Conflict,
    Forbidden,
    NeedsReview,
    NotFound,
    RateLimited,
    Refused,
    Unavailable,
)
from webapp.core.events.schedule.due import due_entries
from webapp.core.logs import going_on, log
from webapp.core.store import Site, partition_of, script
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import Parsed, Unacceptable, parse
from webapp.statuses.attachments import place_forms, staging
from webapp.statuses.compose.further_posts import FurtherPost
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.compose.thread_parts import split_pictures
from webapp.statuses.polls import forms as polls_forms
from webapp.statuses.store import post
from webapp.statuses.values.reply_policy import parse_reply_policy
from webapp.statuses.values.visibility import parse_visibility

from . import keys
from .store import Draft, draft_command, parse_draft

FAIL = script("statuses/drafts/lua/fail_draft.lua")
BATCH = 20  # posts of one partition in one go


def publish_due(site: Site, partitions: Iterable[int]) -> None:
    """Post due drafts in these partitions, up to BATCH in each.

    Safe to repeat, and to run twice at the same time.
    """
    for _, due in due_entries(site.db, keys.scheduled_posts, partitions, BATCH):
        for entry in due:
            uid, _, form_key = entry.partition(":")
            with going_on(f"a draft of member {uid}"):
                publish(site, int(uid), form_key)


def publish(site: Site, uid: int, form_key: str) -> None:
    """Post a due draft, or record why it cannot be. Safe to repeat."""
    draft = parse_draft(form_key, site.db.run(draft_command(uid, form_key)))
    schedule_key, entry = keys.scheduled_posts(partition_of(uid)), f"{uid}:{form_key}"
    if draft is None:  # the script looks again: it may be there again
        site.run(FAIL, uid=uid, form_key=form_key, saved="", reason="", term="")
        return
    if draft.due is None or draft.due > datetime.now(UTC):  # saved without a time, or put off
        return
    try:
        _post_draft(site, uid, draft)
    except (RateLimited, Unavailable) as refusal:
        retry_at = int(time.time() + (refusal.retry_after or 5)) * 1000
        with suppress(Unavailable):  # a server of a Cluster: posts that others have are due too
            site.db.run(("ZADD", schedule_key, "XX", "GT", retry_at, entry))
    except NotFound as refusal:
        # Else the draft was saved again, posted or deleted meanwhile, or the account is gone.
        if refusal.code in ("no_status", "no_group"):
            _fail(site, uid, draft, refusal.code)
    except NeedsReview as refusal:
        _fail(site, uid, draft, refusal.code, refusal.term)
    except (Forbidden, Conflict, Unacceptable, ValueError) as refusal:
        log.info("draft of uid=%d is not posted: %s", uid, refusal)
        _fail(site, uid, draft, getattr(refusal, "code", "draft_invalid"))


def _post_draft(site: Site, uid: int, draft: Draft) -> None:
    """Post a draft. Raises ValueError or Unacceptable if a field is not valid, and as `post`."""
    first, *more = draft.posts
    parsed = _parse_text(site.config, first)
    place = place_forms.place_from_fields(first)
    options = _parse_options(site.config, first)
    further = [_parse_further(site.config, one) for one in more]
    pictures = staging.stage(site, uid, draft.pictures)
    own, *others = split_pictures(pictures, [len(one["pictures"]) for one in draft.posts])
    rate, saved_ms = site.config.limit_post, draft.saved_ms
    options["pictures"] = own
    options["reviewed"] = draft.reviewed
    options["more"] = [
        replace(one, pictures=staged) for one, staged in zip(further, others, strict=True)
    ]
    try:
        post(site, uid, parsed, draft.form_key, place, rate, saved_ms, **options)
    except Refused as refusal:
        if not isinstance(refusal, Unavailable):  # the post may have been stored
            staging.withdraw(site, uid, pictures, draft.pictures)
        raise


def _parse_text(config: Config, post: Mapping[str, Any]) -> Parsed:
    """Parse the text of a post. Raises ValueError for pictures and a poll, Unacceptable."""
    if post["pictures"] and polls_forms.poll_from_fields(post):
        raise ValueError("pictures and a poll")
    return parse(post.get("text", ""), config.status_max, not post["pictures"])


def _parse_further(config: Config, post: Mapping[str, Any]) -> FurtherPost:
    """Parse a further post, but for its pictures. Raises ValueError, Unacceptable."""
    return FurtherPost(
        _parse_text(config, post),
        clean_line(post.get("cw", ""), config.cw_max),
        poll=polls_forms.poll_from_fields(post),
        place=place_forms.place_from_fields(post),
        sensitive=bool(post.get("sensitive")),
    )


def _parse_options(config: Config, fields: Mapping[str, str]) -> StatusOptions:
    return StatusOptions(
        reply=int(fields.get("reply", 0)) or None,
        groups=list(map(int, fields.get("group", "").split())),
        cw=clean_line(fields.get("cw", ""), config.cw_max),
        sensitive=bool(fields.get("sensitive")),
        visibility=parse_visibility(fields.get("visibility", "")),
        poll=polls_forms.poll_from_fields(fields),
        reply_policy=parse_reply_policy(fields.get("reply_policy", "")),
        quote=int(fields.get("quote", 0)) or None,
        quote_policy=parse_quote_policy(fields.get("quote_policy")),
    )


def _fail(site: Site, uid: int, draft: Draft, reason: str, term: str = "") -> None:
    """Record why a draft cannot be posted. If too many events wait, it is tried again soon.

    `term`: the word that holds it for review.
    """
    values = {"form_key": draft.form_key, "saved": draft.saved_ms, "reason": reason, "term": term}
    with suppress(Unavailable):
        site.run(FAIL, uid=uid, **values)

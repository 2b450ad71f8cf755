"""Posting a status, now or at a time."""

import hashlib
import re
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

from flask import g, request

from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import mentioned_members
from webapp.client_api import uploads
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import QUOTABLE_BY
from webapp.client_api.entities.status import Status
from webapp.client_api.http import Id, InvalidRequest, Parameters, cleaned, converted, invalid
from webapp.client_api.http.responses import site_host
from webapp.client_api.posting_defaults import VISIBILITIES, posting_defaults
from webapp.client_api.presentation import load, present_one
from webapp.client_api.status_reads.account_reads import listed_accounts
from webapp.client_api.status_reads.boosts import shown_status
from webapp.core.errors import NeedsReview, NotFound
from webapp.core.forms.fields import PICTURES_MAX, normalize_line
from webapp.core.forms.idempotency import new_form_key
from webapp.core.i18n.language_detection import clean_tag
from webapp.core.net.proxies import posting_network
from webapp.core.text.parser import Parsed, Unacceptable, parse
from webapp.core.web import config, consume_for_viewer, db, site
from webapp.statuses import Picture, Poll, Visibility, store
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.compose.text_form import text_problem
from webapp.statuses.drafts import store as drafts
from webapp.statuses.drafts.publishing import publish
from webapp.statuses.polls.forms import OPTION_FIELDS
from webapp.statuses.values.poll import (
    MINUTES_MAX,
    MINUTES_MIN,
    OPTION_MAX,
    OPTIONS_MAX,
    OPTIONS_MIN,
)
from webapp.statuses.values.visibility import allowed_for_reply

from .scheduled import ScheduledStatus, read_time, schedule

bp = ApiBlueprint("posting")
QUOTE_POLICIES = {name: policy for policy, name in QUOTABLE_BY.items()}


class PollParameters(Parameters):
    """A poll. `expires_in`: seconds."""

    options: tuple[str, ...] = ()
    expires_in: int = 86_400
    multiple: bool = False


class StatusParameters(Parameters):
    """A new status."""

    status: str = ""
    in_reply_to_id: Id | None = None
    media_ids: tuple[Id, ...] = ()
    sensitive: bool | None = None
    spoiler_text: str = ""
    visibility: str = ""
    language: str = ""
    quoted_status_id: Id | None = None
    quote_approval_policy: str = ""
    scheduled_at: str = ""
    poll: dict[str, Any] | None = None
    allowed_mentions: tuple[Id, ...] | None = None


@bp.declare("POST /api/v1/statuses", "write:statuses")
def create(params: StatusParameters) -> Status | ScheduledStatus:
    """Post a status, now or at a time. The same Idempotency-Key gives the same status.

    A warning without anything behind it becomes the text. A time that is over means now.
    """
    params.in_reply_to_id = shown_status(params.in_reply_to_id)
    params.quoted_status_id = shown_status(params.quoted_status_id)
    if not (params.status.strip() or params.media_ids or params.poll):
        params.status, params.spoiler_text = params.spoiler_text, ""
    parsed = parsed_text(params.status, is_required=not (params.media_ids or params.poll))
    _require_allowed(params.allowed_mentions, parsed)
    if params.scheduled_at and read_time(params.scheduled_at) > datetime.now(UTC):
        consume_for_viewer("draft")
        fields = _draft_fields(params, parsed.text)
        return schedule(_form_key(), fields, params.scheduled_at, _pictures(params))
    status_id = _post(params, parsed)
    if params.media_ids:
        store.open_pictures(site(), status_id)
    return present_one(status_id)


def _post(params: StatusParameters, parsed: Parsed) -> int:
    """Post a status, and return its id. Raises NeedsReview for one that becomes a draft."""
    uid, form_key, pictures = g.viewer.uid, _form_key(), _pictures(params)
    options = StatusOptions(
        reply=params.in_reply_to_id,
        cw=warning_line(params.spoiler_text),
        sensitive=_is_sensitive(params),
        language=clean_tag(params.language) or posting_defaults(g.viewer).language,
        pictures=pictures,
        visibility=_visibility(params),
        poll=_poll(params.poll),
        quote=params.quoted_status_id,
        quote_policy=quote_policy(params.quote_approval_policy),
        network=posting_network(config()),
        host=request.host,
        only_key=True,
    )
    try:
        return store.post(site(), uid, parsed, form_key, None, config().limit_post, **options)
    except NeedsReview:
        consume_for_viewer("draft")
        fields = _draft_fields(params, parsed.text)
        drafts.save(site(), uid, form_key, fields, datetime.now(UTC), pictures)
        publish(site(), uid, form_key)
        raise


def _require_allowed(allowed: Collection[int] | None, parsed: Parsed) -> None:
    """Check that a text mentions nobody but members of these ids. Raises InvalidRequest."""
    if allowed is not None:
        named = {one.uid for one in mentioned_members(db(), parsed.entities).values()}
        if unexpected := listed_accounts(named.difference(allowed)):
            reason = "Post would be sent to unexpected accounts"
            raise InvalidRequest(reason, unexpected_accounts=unexpected)


def _draft_fields(params: StatusParameters, text: str) -> dict[str, str]:
    """Return the fields of the form of a status that is posted later."""
    poll = _poll(params.poll)
    visibility = _visibility(params)
    fields = {
        "text": text,
        "cw": warning_line(params.spoiler_text),
        "sensitive": "y" * _is_sensitive(params),
        "visibility": "" if visibility is Visibility.GROUP else visibility.slug,
        "reply": str(params.in_reply_to_id or ""),
        "quote": str(params.quoted_status_id or ""),
        "quote_policy": quote_policy(params.quote_approval_policy).slug,
    }
    if poll:
        fields |= dict(zip(OPTION_FIELDS, poll.options, strict=False))
        fields |= {"poll_minutes": str(poll.minutes), "poll_multiple": "y" * poll.multiple}
    return fields


def _pictures(params: StatusParameters) -> list[Picture]:
    """Return the pictures of a new status, each once. Raises Invalid."""
    numbers = list(dict.fromkeys(params.media_ids))
    most = min(config().status_pictures_max, PICTURES_MAX)
    if len(numbers) > most:
        raise invalid(f"At most {most} pictures in a post")
    if numbers and params.poll:
        raise invalid("A post has pictures or a poll, not both")
    try:
        return uploads.of_member(db(), g.viewer.uid, numbers)
    except NotFound:
        raise invalid("Media is not there, or a post shows it already") from None


def parsed_text(text: str, is_required: bool) -> Parsed:
    """Return the text of a status; members are named without the site's host. Raises Invalid."""
    own = rf"(?i)(?<![\w/])(@\w+)@{re.escape(site_host())}(?![\w-]|[.:]\w)"
    text = re.sub(own, r"\1", text)
    limit = config().status_max
    try:
        return parse(text, limit, is_required)
    except Unacceptable as error:
        if error.reason == "empty":
            raise invalid("Text can't be blank") from None
        raise invalid(text_problem(error, limit)) from None


def warning_line(text: str) -> str:
    """Return a content warning. Raises Invalid."""
    return cleaned("Content warning", normalize_line, text, config().cw_max)


def quote_policy(name: str) -> QuotePolicy:
    """Return who may quote a status, the member's own choice for "". Raises Invalid."""
    if not name:
        policy: QuotePolicy = g.viewer.quote_policy
        return policy
    if name not in QUOTE_POLICIES:
        raise invalid("Quote approval policy is not included in the list")
    return QUOTE_POLICIES[name]


def _is_sensitive(params: StatusParameters) -> bool:
    """Return True if a status covers its pictures, by default as the member's preferences say."""
    given = params.sensitive
    return posting_defaults(g.viewer).sensitive if given is None else given


def _visibility(params: StatusParameters) -> Visibility:
    """Return the visibility, by default that of the member's preferences.

    That of a reply is narrowed to what its parent allows, never refused.
    """
    if params.visibility and params.visibility not in VISIBILITIES:
        raise invalid("Visibility is not included in the list")
    wanted = VISIBILITIES.get(params.visibility, posting_defaults(g.viewer).visibility)
    if params.in_reply_to_id is None:
        return wanted
    parent = load(params.in_reply_to_id)[0].visibility
    return wanted if wanted in allowed_for_reply(parent) else parent


def _poll(sent: dict[str, Any] | None) -> Poll | None:
    """Return the poll of a new status, without empty options. It lasts whole minutes.

    Raises Invalid.
    """
    if not sent:
        return None
    given = converted(PollParameters, sent)
    lines = (cleaned("Poll option", normalize_line, one, OPTION_MAX) for one in given.options)
    options = [line for line in lines if line]
    if not OPTIONS_MIN <= len(options) <= OPTIONS_MAX or len(set(options)) < len(options):
        raise invalid(f"Poll needs {OPTIONS_MIN} to {OPTIONS_MAX} different options")
    minutes = -(-given.expires_in // 60)
    if not MINUTES_MIN <= minutes <= MINUTES_MAX:
        raise invalid(f"Poll lasts {MINUTES_MIN * 60} to {MINUTES_MAX * 60} seconds")
    return Poll(tuple(options), minutes, given.multiple)


def _form_key() -> str:
    """Return the key that makes a repeated request the same status."""
    key = request.headers.get("Idempotency-Key", "")
    if not key:
        return new_form_key()
    return hashlib.sha256(key[:255].encode("utf-8", "replace")).hexdigest()

"""Saving the form of a post as a draft, with its pictures."""

from datetime import UTC, datetime

from flask import g, request
from flask_babel import gettext as _

from webapp.core.errors import SENTENCES, NeedsReview, Refused, Unavailable
from webapp.core.forms.idempotency import new_form_key
from webapp.core.web import consume_for_viewer, site
from webapp.statuses.attachments import staging
from webapp.statuses.compose.posting import (
    chosen_pictures,
    count_uploads,
    keep_uploads,
    post_form,
    shows_draft,
)
from webapp.statuses.compose.thread_parts import COUNT
from webapp.statuses.values.pictures import Picture

from . import store as drafts
from .publishing import publish
from .schedule_forms import ScheduleForm


def post_or_save(form: ScheduleForm) -> list[int]:
    """Post a valid form, and return the ids of its statuses, oldest first.

    One with a time is saved until then, and one with a word for review until a moderator decides:
    then there are no ids. Raises as `post_form` and `save_form`.
    """
    if form.due:
        save_form(form, form.due)
        return []
    try:
        return post_form(form)
    except NeedsReview:
        form.in_review = True
    save_form(form, datetime.now(UTC))
    publish(site(), g.viewer.uid, form.key.data)  # finds the word again, and reports the draft
    return []


def save_form(form: ScheduleForm, due: datetime | None) -> None:
    """Save the fields and the pictures of a form, to be posted at `due`. Three trips, or six.

    One more where another post waits under the form's key: then the form gets a new one.
    Raises BadPicture, RateLimited, and as `drafts.save`.
    """
    uid: int = g.viewer.uid
    consume_for_viewer("draft")
    chosen = chosen_pictures(form)
    count_uploads(form)
    pictures = staging.stage_for_draft(site(), uid, chosen, suggests=due is None)
    fields = _fields(form) | {"at": "" if due else form.time_in_utc}
    waiting = (fields, due, pictures)
    try:
        if not drafts.save(site(), uid, form.key.data, *waiting, replaces=shows_draft(form)):
            form.key.data = new_form_key()  # another post waits under that of this form
            drafts.save(site(), uid, form.key.data, *waiting)
    except Refused as refusal:
        if isinstance(refusal, Unavailable):  # the draft may have been saved
            keep_uploads(form, pictures)
        else:
            staging.withdraw(site(), uid, pictures, chosen)
        raise


def keep_form(form: ScheduleForm) -> bool:
    """Save a form while it is written, without new pictures; drop the draft of an empty one.

    One that waits, or that moderators withheld, stays as it is. Return False if it is not a
    draft now. Two trips. Raises RateLimited, and as `drafts.save`.
    """
    consume_for_viewer("autosave")
    if form.is_blank and not form.more:
        names = drafts.discard(site().db, g.viewer.uid, form.key.data, automatic=True)
        staging.discard(site(), g.viewer.uid, names or ())
    if form.is_blank:
        return False
    pictures = [one for one in chosen_pictures(form) if isinstance(one, Picture)]
    fields = _fields(form) | {"at": form.time_in_utc}
    return drafts.save(site(), g.viewer.uid, form.key.data, fields, None, pictures, replaces=False)


def _fields(form: ScheduleForm) -> dict[str, str]:
    """Return the fields of the request, and how many pictures each further post has."""
    fields = {name: request.form.get(name, "").strip() for name in drafts.FIELDS}
    fields["group"] = form.group.data or ""
    fields["quote_policy"] = form.quote_policy.data or ""  # the member's, where the form has none
    for part in form.posts:
        if not fields[f"{part.prefix}lat"]:  # the box with the location is not ticked
            fields[f"{part.prefix}long"] = ""
    counts = {f"{one.prefix}{COUNT}": str(len(one.pictures.data)) for one in form.more}
    return fields | counts


def scheduled_notice(form: ScheduleForm) -> str:
    """Return the sentence that says that a form is scheduled, or held for review."""
    if form.in_review:
        return str(SENTENCES["in_review"])
    return str(_("Thread scheduled.") if form.more else _("Post scheduled."))

"""Post the status or thread of a valid form, and fill in what a form shows besides its fields."""

from collections.abc import Iterable
from contextlib import suppress

from flask import g, request

from webapp.core.errors import Forbidden, NeedsReview, NotFound, Refused, Unavailable
from webapp.core.media import restrictions
from webapp.core.net.proxies import posting_network
from webapp.core.web import config, consume_for_viewer, db, site
from webapp.statuses import store
from webapp.statuses.attachments import staging
from webapp.statuses.attachments.staging import ChosenPicture
from webapp.statuses.store import get
from webapp.statuses.values.pictures import Picture
from webapp.statuses.visibility.groups import GROUPS_MAX, own_posting_groups, posting_groups

from .forms import PostForm
from .further_posts import FurtherPost
from .new_status import StatusOptions
from .remembered_audience import remember
from .thread_parts import split_pictures


def post_form(form: PostForm) -> list[int]:
    """Post a valid form and return the ids of its statuses, oldest first.

    Raises BadPicture, and as `store.post_thread`.
    """
    uid, key, chosen = g.viewer.uid, form.key.data, chosen_pictures(form)
    count_uploads(form)
    pictures = staging.stage(site(), uid, chosen)
    options, rate = _options(form, _by_post(form, pictures)), config().limit_post
    try:
        return store.post_thread(site(), uid, form.parsed, key, form.parsed_place, rate, **options)
    except (Unavailable, NeedsReview) as refusal:  # it may have been stored, or becomes a draft
        if isinstance(refusal, NeedsReview):
            restrictions.restrict(config(), [one.name for one in pictures])
        keep_uploads(form, pictures)
        raise
    except Refused:
        staging.withdraw(site(), uid, pictures, chosen)
        raise


def keep_uploads(form: PostForm, staged: Iterable[Picture]) -> None:
    """Show new files as staged pictures, so that the form sends the same again."""
    for part, own in zip(form.posts, _by_post(form, staged), strict=True):
        part.pictures.replace_uploads(own)


def _by_post(form: PostForm, pictures: Iterable[Picture]) -> list[list[Picture]]:
    return split_pictures(pictures, [len(part.pictures.data) for part in form.posts])


def shows_draft(form: PostForm) -> bool:
    """Return True for the form of a saved draft. A browser may go back to the form before it."""
    return bool(request.form.get("draft") == form.key.data)


def chosen_pictures(form: PostForm) -> list[ChosenPicture]:
    """Return the pictures of all posts of a form, in their order."""
    return [one for part in form.posts for one in part.pictures.data]


def count_uploads(form: PostForm) -> None:
    """Count each post with new pictures. One trip for each. Raises RateLimited."""
    for part in form.posts:
        if part.pictures.uploads:
            consume_for_viewer("pictures")


def _options(form: PostForm, staged: list[list[Picture]]) -> StatusOptions:
    return StatusOptions(
        reply=form.reply_to_id,
        reply_policy=form.audience.reply_policy,
        cw=form.cw.data,
        sensitive=form.sensitive.data,
        pictures=staged[0],
        poll=form.poll,
        quote=form.quoted_id,
        quote_policy=form.audience.quote_policy,
        visibility=form.chosen_visibility,
        groups=form.group_ids,
        more=[
            FurtherPost(
                part.parsed,
                part.cw.data,
                pictures,
                part.poll,
                part.parsed_place,
                part.sensitive.data,
            )
            for part, pictures in zip(form.more, staged[1:], strict=True)
        ],
        network=posting_network(config()),
        replaces_draft=shows_draft(form),
        host=request.host,
    )


def remember_audience_of(form: PostForm) -> None:
    """Remember the audience of a post, not of a reply. One trip if it is another one.

    The post is already stored, so a failure is ignored.
    """
    chosen = (form.visibility, form.reply_policy, form.quote_policy)
    if not form.reply_to_id and all(field.raw_data for field in chosen):
        with suppress(Refused):
            remember(db(), g.viewer, form.audience)


def with_quote_preview(form: PostForm) -> PostForm:
    """Return a form with its quoted status, as the writer may see it, and its groups.

    Two trips if it quotes, one if it goes to groups, two if it offers them. Without what is gone,
    hidden, or what the store does not answer.
    """
    if form.quoted_id:
        with suppress(NotFound, Forbidden, Unavailable):
            form.quote_preview = get(db(), form.quoted_id, g.viewer.uid)
    uid, is_asked = g.viewer.uid, form.group.errors or "to_groups" in request.args
    if form.reply_to_id or "groups" not in config().enabled_features:
        return form
    with suppress(Unavailable):
        if is_asked:
            form.group_choices = own_posting_groups(db(), uid)
        else:
            form.posting_groups = db().read(posting_groups(form.group_ids[:GROUPS_MAX], uid))
    return form

"""Post the status or thread of a valid form."""

from __future__ import annotations

from flask import g, request

from webapp.core.errors import Refused, Unavailable
from webapp.core.net.proxies import posting_network
from webapp.core.web.context import config, site
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.statuses import store
from webapp.statuses.attachments import staging
from webapp.statuses.values.pictures import Picture

from .forms import PostForm
from .new_status import StatusOptions


def post_form(form: PostForm) -> int:
    """Post a valid form and return the id of its status, or of the first of its thread.

    Raises BadPicture, and as `store.post`.
    """
    uid, key = g.viewer.uid, form.key.data
    if form.pictures.uploads:
        consume_for_viewer("pictures")
    pictures = staging.stage(site(), uid, form.pictures.data)
    options = _options(form, pictures)
    rate = config().limit_post
    try:
        return store.post(site(), uid, form.parsed, key, form.parsed_place, rate, **options)
    except Unavailable:  # the post may have been stored
        form.pictures.replace_uploads(pictures)
        raise
    except Refused:
        staging.withdraw(site(), uid, pictures, form.pictures.data)
        raise


def _options(form: PostForm, pictures: list[Picture]) -> StatusOptions:
    return StatusOptions(
        reply=form.reply_to_id,
        reply_policy=form.audience.reply_policy,
        cw=form.cw.data,
        pictures=pictures,
        poll=form.poll,
        quote=form.quoted_id,
        quote_policy=form.audience.quote_policy,
        visibility=form.chosen_visibility,
        more=[part.parsed for part in form.more if part.parsed],
        network=posting_network(config()),
        host=request.host,
    )

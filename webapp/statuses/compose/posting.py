"""Post what a valid form holds: a status, or a thread."""

from __future__ import annotations

from flask import g

from webapp.core.net.proxies import posting_network
from webapp.core.text.parser import Parsed
from webapp.core.web.context import config, db
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.errors import Conflict, Forbidden, NotFound, RateLimited, Refused, Unavailable
from webapp.statuses import store
from webapp.statuses.attachments import staging
from webapp.statuses.drafts.rest_of_thread import RestIsDraft, save_rest, unschedule

from .forms import PostForm
from .new_status import StatusOptions


def post_form(form: PostForm) -> int:
    """Post a valid form and return the id of its first status.

    Raises BadPicture, RestIsDraft, and as `store.post`.
    """
    uid, key = g.viewer.uid, form.key.data
    if form.pictures.uploads:
        consume_for_viewer("pictures")
    if form.more:  # or the old version of a scheduled draft might be posted meanwhile
        unschedule(db(), uid, key)
    pictures = staging.stage(db(), config(), uid, form.pictures.data)
    options = StatusOptions(
        reply=form.reply_to_id,
        reply_policy=form.audience.reply_policy,
        cw=form.cw.data,
        pictures=pictures,
        poll=form.poll,
        quote=form.quoted_id,
        quote_policy=form.audience.quote_policy,
        visibility=form.chosen_visibility,
        network=posting_network(config()),
        draft=f"{key}:0" if form.more else key,  # the last post of a thread removes the draft
    )
    rate = config().limit_post
    try:
        status_id = store.post(
            db(), config(), uid, form.parsed, key, form.parsed_place, rate, **options
        )
    except Refused as refusal:
        if not isinstance(refusal, Unavailable):  # after which it may be posted all the same
            staging.withdraw(db(), config(), uid, pictures, form.pictures.data)
        raise
    _post_more(form, status_id)
    return status_id


def _post_more(form: PostForm, parent: int) -> None:
    """Post the rest of a thread, each post as a reply to the one before.

    A form that is sent again posts only what is missing: each post has a key of its own. If one is
    refused, what is left becomes the draft of the form. Raises RestIsDraft, Unavailable.
    """
    for index, part in enumerate(form.more):
        key = f"{form.key.data}:{part.number}"
        options = StatusOptions(
            reply=parent,
            cw=form.cw.data,
            quote_policy=form.audience.quote_policy,
            mentions=form.parsed.entities,
            network=posting_network(config()),
            draft=form.key.data if part is form.more[-1] else key,
        )
        parsed, rate = part.parsed or Parsed("", 0, ()), config().limit_post
        try:
            parent = store.post(db(), config(), g.viewer.uid, parsed, key, None, rate, **options)
        except (RateLimited, NotFound, Forbidden, Conflict) as refusal:
            texts = [one.text for one in form.more[index:]]
            save_rest(db(), config(), g.viewer.uid, form.key.data, parent, texts, form.cw.data)
            raise RestIsDraft(index + 1, refusal) from None

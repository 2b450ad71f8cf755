"""What a form says besides its fields: the quoted status, and the groups to which it goes."""

from __future__ import annotations

from contextlib import suppress

from flask import g, request

from webapp.core.errors import Forbidden, NotFound, Unavailable
from webapp.core.web.context import config, db
from webapp.statuses.store import get
from webapp.statuses.visibility.groups import GROUPS_MAX, own_posting_groups, posting_groups

from .forms import PostForm


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

"""What a form says besides its fields: the status that it quotes, and the group that it goes to."""

from __future__ import annotations

from contextlib import suppress

from flask import g

from webapp.core.errors import Forbidden, NotFound, Unavailable
from webapp.core.web.context import db
from webapp.statuses.store import get
from webapp.statuses.visibility.groups import posting_group

from .forms import PostForm


def with_quote_preview(form: PostForm) -> PostForm:
    """Return a form with its quoted status, as the writer may see it, and its group.

    Two trips if it quotes, one if it goes to a group. Without what is gone, hidden, or what the
    store does not answer.
    """
    if form.quoted_id:
        with suppress(NotFound, Forbidden, Unavailable):
            form.quote_preview = get(db(), form.quoted_id, g.viewer.uid)
    if form.group_id:
        with suppress(NotFound, Forbidden, Unavailable):
            group = db().read(posting_group(form.group_id, g.viewer.uid))
            group.require_may_post()
            form.posting_group = group
    return form

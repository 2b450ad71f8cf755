"""The form of a post as it is shown, with what stands in it beside what was written."""

from __future__ import annotations

from contextlib import suppress

from flask import g

from webapp.core.web.context import db
from webapp.errors import Forbidden, NotFound, Unavailable
from webapp.statuses.forms import PostForm
from webapp.statuses.store import get


def with_quote_preview(form: PostForm) -> PostForm:
    """A form to be shown, with what it quotes as its writer is shown it; nothing where that is gone or hidden, or
    the store does not answer.
    """
    if form.quoted_id:
        with suppress(NotFound, Forbidden, Unavailable):
            form.quote_preview = get(db(), form.quoted_id, g.viewer.uid)
    return form

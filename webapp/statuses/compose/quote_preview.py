"""The quoted status above a form that quotes it."""

from __future__ import annotations

from contextlib import suppress

from flask import g

from webapp.core.errors import Forbidden, NotFound, Unavailable
from webapp.core.web.context import db
from webapp.statuses.store import get

from .forms import PostForm


def with_quote_preview(form: PostForm) -> PostForm:
    """Return a form with its quoted status, as the writer may see it. Two trips if it quotes.

    Without it if that is gone, hidden, or the store does not answer.
    """
    if form.quoted_id:
        with suppress(NotFound, Forbidden, Unavailable):
            form.quote_preview = get(db(), form.quoted_id, g.viewer.uid)
    return form

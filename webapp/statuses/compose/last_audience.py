"""Remembering the audience of a form that was just posted."""

from __future__ import annotations

from contextlib import suppress

from flask import g

from webapp.core.errors import Refused
from webapp.core.web.context import db

from .forms import PostForm
from .remembered_audience import remember


def remember_audience_of(form: PostForm) -> None:
    """Remember the audience of a post, not of a reply. One trip if it is another one.

    The post is already stored, so a failure is ignored.
    """
    chosen = (form.visibility, form.reply_policy, form.quote_policy)
    if not form.reply_to_id and all(field.raw_data for field in chosen):
        with suppress(Refused):
            remember(db(), g.viewer, form.audience)

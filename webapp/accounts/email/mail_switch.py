"""The pages of a site without mail answer that there are none."""

from __future__ import annotations

from webapp.core.errors import NotFound
from webapp.core.web.context import config


def require_mail() -> None:
    """Raise NotFound where the site sends no mail."""
    if not config().has_mail:
        raise NotFound("no_mail")

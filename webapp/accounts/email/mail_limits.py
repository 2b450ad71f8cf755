"""Limits of mails: whether the site sends any, and how many a network or a name may ask for."""

from __future__ import annotations

from hashlib import sha256

from webapp.core.errors import NotFound
from webapp.core.net.proxies import client_network
from webapp.core.web import rate_limits
from webapp.core.web.context import config, db


def limit_mails(name: str) -> None:
    """Count a mail that a visitor asks for, by network and by name. One trip. Raises RateLimited.

    `name`: of `typed_name`, whether or not it is anybody's.
    """
    digest = sha256(name.encode("utf-8", "replace")).hexdigest()
    rate_limits.consume(
        db(),
        ("mail", client_network(), config().limit_mail_network),
        ("mail-to", digest, config().limit_mail),
    )


def require_mail() -> None:
    """Raise NotFound where the site sends no mail."""
    if not config().has_mail:
        raise NotFound("no_mail")

"""How many mails visitors may ask for."""

from __future__ import annotations

from hashlib import sha256

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

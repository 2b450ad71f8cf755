"""Rate limits of mails and their codes, by network and by name."""

from hashlib import sha256

from webapp.core.errors import NotFound
from webapp.core.net.proxies import client_network
from webapp.core.web import config, db, rate_limits


def limit_mails(name: str) -> None:
    """Count a mail that a visitor asks for, by network and by name. One trip. Raises RateLimited.

    `name`: of `typed_name`, whether or not it is anybody's.
    """
    rate_limits.consume(
        db(),
        ("mail", client_network(), config().limit_mail_network),
        ("mail-to", _digest(name), config().limit_mail),
    )


def limit_codes(name: str) -> None:
    """Count a code that somebody logs in with, by network and by name, as `limit_mails`.

    Somebody who asked for new codes for months could guess six digits.
    """
    rate_limits.consume(
        db(),
        ("mail-login", client_network(), config().limit_signin_address),
        ("mail-codes", _digest(name), config().limit_codes),
    )


def require_mail() -> None:
    """Raise NotFound where the site sends no mail."""
    if not config().has_mail:
        raise NotFound("no_mail")


def _digest(name: str) -> str:
    return sha256(name.encode("utf-8", "replace")).hexdigest()

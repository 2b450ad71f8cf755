"""Limit attempts to sign in.

A device that has signed in to the account has a budget of its own. All other devices share three:
of their network, of their network and the account, and of the account. So strangers who try one
account never lock out its owner's known devices. From few networks, they do not lock out the
owner's new devices either.
"""

from dataclasses import replace

from webapp.accounts.store import LOGIN_PATTERN
from webapp.core.store import Site
from webapp.core.web import rate_limits

MALFORMED_LOGIN = "-"  # the subject of logins that nobody can have


def consume(site: Site, login: str, network: str, device: str) -> None:
    """Count an attempt to sign in. One trip. Raises RateLimited.

    `device`: one that has signed in to this account before, otherwise "".
    """
    account = login.lower() if LOGIN_PATTERN.match(login) else MALFORMED_LOGIN
    if device:
        rate_limits.consume(
            site.db, (f"account-device-{device}", account, site.config.limit_signin_account)
        )
        return
    strangers = site.config.limit_signin_strangers
    rate_limits.consume(
        site.db,
        ("signin", network, site.config.limit_signin_address),
        nested=(
            account,
            (
                f"account-network-{network}",
                replace(site.config.limit_signin_account, period=strangers.period),
            ),
            ("account", strangers),
        ),
    )

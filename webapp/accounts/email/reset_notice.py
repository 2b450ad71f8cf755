"""The mail after a reset password, which names the passkeys that still open the account."""

from webapp.accounts.passkeys.store import passkeys
from webapp.core.store import Site

from .addresses import notify


def notify_reset(site: Site, uid: int) -> None:
    """Tell a member that their password was reset, and name their passkeys. Two trips."""
    names = ", ".join(passkey.name for passkey in site.db.read(passkeys(uid)))
    notify(site, uid, "password_reset" if names else "password_changed", what=names)

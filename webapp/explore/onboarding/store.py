"""The first steps as the store holds them: one field of the account says that they are offered."""

from __future__ import annotations

from webapp.accounts import keys as account_keys
from webapp.core.store.client import Db


def finish(db: Db, uid: int) -> None:
    """Offer the first steps no longer. Doing it again changes nothing. One trip."""
    db.run(("HDEL", account_keys.user(uid), "first_steps"))

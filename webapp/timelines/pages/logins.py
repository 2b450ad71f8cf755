"""Read the logins under which pages of members are addressed."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context
from webapp.core.store.reads import Read


def read_logins(context: Context, uids: Iterable[int]) -> dict[int, str]:
    """Return the logins of members who have an account. One trip."""
    return context.db.read(logins_of(uids))


def logins_of(uids: Iterable[int]) -> Read[dict[int, str]]:
    """Read the logins of members who have an account."""
    each = sorted(set(uids))
    return Read(
        tuple(("HGET", account_keys.user(uid), "login") for uid in each),
        lambda logins: {uid: login for uid, login in zip(each, logins, strict=True) if login},
    )


def open_logins_of(uids: Iterable[int]) -> Read[dict[int, str]]:
    """Read the logins of members whose statuses visitors may see: those who are not protected."""
    each = frozenset(uids)
    return Read(
        tuple(("HMGET", account_keys.user(uid), "login", "protected") for uid in each),
        lambda found: {
            uid: login
            for uid, (login, protected) in zip(each, found, strict=True)
            if login and not protected
        },
    )

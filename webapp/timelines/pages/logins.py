"""Read the logins under which pages of members are addressed."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Context


def read_logins(context: Context, uids: Iterable[int]) -> dict[int, str]:
    """Return the logins of members who have an account. One trip."""
    each = sorted(set(uids))
    logins: list[str | None] = context.db.trip(
        *(("HGET", account_keys.user(uid), "login") for uid in each)
    )
    return {uid: login for uid, login in zip(each, logins, strict=True) if login}

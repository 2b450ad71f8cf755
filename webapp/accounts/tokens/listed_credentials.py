"""Access tokens and apps as their owner sees them listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from webapp.accounts.member import datetime_from_seconds
from webapp.core.store import Db, Read, collect, constant, read


@dataclass(frozen=True, slots=True)
class ListedCredential:
    """An access token or an app. `id` names it and opens nothing. `token`: that of an app.

    `ends`: None without an end. `is_notified`: the member's notifications are pushed to it.
    """

    id: str
    name: str
    created: datetime
    last_used: datetime | None
    token: str | None = None
    is_notified: bool = False
    ends: datetime | None = None


def listed_credentials(
    db: Db, ids_key: str, key_of: Callable[[str], str], devices_key: str = ""
) -> list[ListedCredential]:
    """Return the credentials whose ids a zset holds, newest first. Two trips.

    `key_of`: the key of a credential's hash, by its id. `devices_key`: of the zset of those that
    notifications are pushed to.
    """
    ids = db.run(("ZRANGE", ids_key, 0, -1, "REV"))
    found, notified = db.fetch(
        collect(_credential(id_, key_of(id_)) for id_ in ids),
        read(("ZRANGE", devices_key, 0, -1), set) if devices_key else constant(set()),
    )
    listed = [credential for credential in found if credential]
    return [replace(one, is_notified=one.id in notified) for one in listed]


def _credential(id_: str, key: str) -> Read[ListedCredential | None]:
    def parse(fields: Sequence[Any]) -> ListedCredential | None:
        name, created, used, token, ends = fields
        if name is None:
            return None
        last_used = datetime_from_seconds(used) if used else None
        return ListedCredential(
            id_,
            name,
            datetime_from_seconds(created),
            last_used,
            token,
            ends=datetime_from_seconds(ends) if ends else None,
        )

    return read(("HMGET", key, "name", "created", "used", "token", "ends"), parse)

"""Notifications."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from webapp.client_api.http.responses import format_time

from .account import Account
from .status import Status


class Notification(msgspec.Struct, kw_only=True):
    """Something that somebody did. Its id is when it was noted, in unix microseconds."""

    id: str
    type: str
    created_at: str
    account: Account
    status: Status | None
    group_key: str


def notification(
    created_us: int, kind: str, account: Account, about: Status | None, group_key: str
) -> Notification:
    """Return a notification of a type, `about` a status or None."""
    return Notification(
        id=str(created_us),
        type=kind,
        created_at=format_time(datetime.fromtimestamp(created_us / 1_000_000, UTC)),
        account=account,
        status=about,
        group_key=group_key,
    )

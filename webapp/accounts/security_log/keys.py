"""The key of the security log."""

from __future__ import annotations

from webapp.core.store.schema import MemberKey, Stream

security_log = MemberKey(
    "security_log",
    Stream("`kind`, `count`, `agent`"),
    private=True,
    bound="100, the newest",
    doc=(
        "What happened to a member's account: a kind of `accounts/security_log/store.py`, how "
        "often in a row, and the browser's User-Agent."
    ),
)

"""The keys of the groups that Explore shows."""

from __future__ import annotations

from webapp.core.store.schema import SiteKey, String, ZSet

open_groups = SiteKey(
    "groups:{groups}:open",
    ZSet("chat id", "members"),
    bound="the largest 1,000",
    writers="`explore/groups.py`",
    doc="The chats of the kind `open`, which anybody may find and join.",
)


group_ranking = SiteKey(
    "groups:{groups}:ranking",
    String("chat ids, a blank between"),
    bound="30 chats",
    writers="`explore/groups.py`",
    doc="The open chats that Explore shows, those with most members who are not silent first.",
)

"""What notifications store."""

from __future__ import annotations

from webapp.core.store.schema import MemberKey, Set, ZSet

notifications = MemberKey(
    "notifications",
    ZSet("`kind:by:subject` (uid of who did it, id of the status or 0)", "unix µs, made unique"),
    bound="NOTIFICATIONS_MAX, the oldest goes",
    writers="`notifications/lua/notify.lua`, `notifications/lua/remove.lua`",
    doc="What a member is told: what others did, in the order they were told.",
)


unread_notifications = MemberKey(
    "notifications",
    Set("`kind:by:subject`"),
    suffix="unread",
    bound="as `notifications`",
    writers="`notifications/**/*.lua`",
    doc="Those of them that were not shown yet.",
)


notified_members = MemberKey(
    "notified",
    Set("uid"),
    bound="no bound: as many as one likes, follows or mentions",
    writers="`notifications/lua/verify_source.lua`, `notifications/projections.py`",
    doc=(
        "Who was ever told of something that a member did: where to look when the account is deleted."
    ),
)

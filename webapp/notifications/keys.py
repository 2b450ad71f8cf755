"""The keys of notifications."""

from webapp.core.store.schema import MemberKey, Set, ZSet

notifications = MemberKey(
    "notifications",
    ZSet("`kind:by:subject` (uid of who acted; as in `entries.py`)", "unix µs, made unique"),
    bound="NOTIFICATIONS_MAX, the oldest goes",
    doc="A member's notifications, in the order in which they were noted.",
)

unread_notifications = MemberKey(
    "notifications",
    Set("`kind:by:subject`"),
    suffix="unread",
    bound="as `notifications`",
    doc="The notifications that a member has not seen, without what mutes and filters hide.",
)

notified_members = MemberKey(
    "notified",
    Set("uid"),
    bound="no bound: as many as one likes, follows or mentions, or as subscribe to one's posts",
    doc="""Members who were ever notified of a member's actions: their lists are cleaned when the
    account is deleted.""",
)

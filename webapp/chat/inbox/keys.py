"""The keys of the inboxes of members."""

from webapp.core.store.schema import Hash, MemberKey, ZSet

member_chats = MemberKey(
    "chats",
    ZSet("cid", "unix ms of the newest message"),
    bound="CHATS_MAX, give or take a few",
    doc="The chats of a member, projected from the chats' own lists.",
)

hidden_chats = MemberKey(
    "chats_hidden",
    ZSet("cid", "when they ignored it, unix ms"),
    bound="one entry for each member who wrote to them and was ignored",
    doc="The direct chats that a member ignored: they still belong to these, until they leave.",
)

member_unfetched = MemberKey(
    "chats_unfetched",
    ZSet("cid", "newest message id"),
    bound="the member's chats; those that they left go with the list's entry",
    doc="""The chats in which something may wait to be fetched by a member's programs, projected.
    One that is fetched to its end is removed.""",
)

member_chat_state = MemberKey(
    "chat_state",
    Hash(),
    bound="a few fields a chat",
    doc="""What a member's list says of each chat: `last:<cid>` (newest message id, projected),
    `read:<cid>` (read up to), `sent:<cid>` (own messages, projected), `sent_read:<cid>` (own up to
    where they have read), `deleted:<cid>` (the newest 200 unread messages of others that were
    deleted, projected), `muted:<cid>`, `archived:<cid>` (newest message id then), `waiting:<cid>`
    (request or opened), `added:<cid>` (somebody added them, and they have not opened it yet).""",
)

"""The keys of group chats: their ids, invitations and removed members."""

from webapp.chat.keys import ChatKey
from webapp.core.store.schema import Hash, MemberKey, SiteKey, String, ZSet

last_chat_id = SiteKey(
    "last_chat_id",
    String("(counter)"),
    bound="no bound: one value",
    doc="The last number given to a group chat. Numbers are dense; gaps are fine.",
)

chat_invites = ChatKey(
    "invites",
    Hash("sha", "three numbers"),
    bound="CHAT_INVITES_MAX; used-up and expired ones go when another is made",
    doc="""The invitations to a chat, under the SHA-256 of their secrets: `left expires by` (uses,
    unix ms, uid).""",
)

chat_removed = ChatKey(
    "removed",
    ZSet("uid", "unix ms"),
    bound="the newest 1,000",
    doc=(
        "Members whom an owner has removed. They come back if an owner adds them, not by joining."
    ),
)

group_idempotency = MemberKey(
    "group_idempotency",
    String("cid"),
    facets="<hash>",
    bound="POST_KEY_HOURS",
    doc="""The group chat that a form's key has made (`<hash>` is that of the key), so that a form
    that is sent again makes one chat.""",
)

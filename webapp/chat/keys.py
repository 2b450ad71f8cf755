"""What chats store."""

from __future__ import annotations

from webapp.core.store.ids import PARTITIONS
from webapp.core.store.schema import (
    PARTITION_TAGS,
    Hash,
    Key,
    MemberKey,
    Set,
    SiteKey,
    String,
    Type,
    ZSet,
)


def chat_partition(cid: str) -> int:
    """Return a chat's partition: a group's number, or the sum of a direct chat's two, modulo 64."""
    return sum(map(int, cid.split("-"))) % PARTITIONS


class ChatKey(Key[[str]]):
    """A key of one chat, in the chat's partition: `chat:{tag}:cid`, then `suffix`."""

    def __init__(self, suffix: str, type: Type, *, bound: str, writers: str, doc: str) -> None:
        end = f":{suffix}" if suffix else ""
        super().__init__(
            f"chat:{{<tag>}}:<cid>{end}",
            lambda cid: f"chat:{{{PARTITION_TAGS[chat_partition(cid)]}}}:{cid}{end}",
            type,
            bound=bound,
            writers=writers,
            doc=doc,
        )


last_chat_id = SiteKey(
    "last_chat_id",
    String("(counter)"),
    bound="no bound: one value",
    writers="`chat/members/groups.py`",
    doc="The last number given to a group. Numbers are dense; gaps are fine.",
)


chat = ChatKey(
    "",
    Hash(),
    bound="kept until its last member leaves or an owner deletes it",
    writers="`chat/**/*.lua`",
    doc=(
        "A chat: `kind` (private, open, announcement, direct), `name`, `topic`, `picture`, "
        "`shared` (1: newcomers see what was before), `keep` (history, or fetched: a message "
        "goes once all have fetched it), `created` (unix ms), `by` (uid), `last` (newest "
        "message id), `first` (oldest kept), `rev` (counts what happened to its messages), "
        "`told` (`rev` of the newest change forgotten), `last_at` (unix ms), `answered` "
        "(direct: 1 once both want it)."
    ),
)


chat_members = ChatKey(
    "members",
    ZSet("uid", "unix µs, made unique"),
    bound="CHAT_MEMBERS_MAX",
    writers="`chat/**/*.lua`",
    doc="The members of a chat, in the order they came.",
)


chat_owners = ChatKey(
    "owners",
    Set("uid"),
    bound="as many as its members",
    writers="`chat/**/*.lua`",
    doc="The owners of a chat, who may change it.",
)


chat_visible_from = ChatKey(
    "since",
    Hash("uid", "two numbers"),
    bound="one field a member",
    writers="`chat/**/*.lua`",
    doc=(
        "What each member may see of a chat: `first joined`, the first message id and the "
        "newest when they came; a bot's ends with `b`."
    ),
)


chat_messages = ChatKey(
    "messages",
    Hash("id", "JSON"),
    bound="CHAT_HISTORY",
    writers=(
        "`chat/messages/lua/send.lua`, `chat/messages/lua/change_message.lua`, "
        "`chat/api/lua/fetch.lua`"
    ),
    doc=(
        "The messages of a chat, by their dense ids: JSON with `by` (uid), `at` (unix ms), "
        "`text`, `entities`, `reply`, `pictures`, `card` ([status, author]), `edited` (unix "
        "ms); a deleted one has `by`, `at` and `gone` (unix ms)."
    ),
)


chat_reactions = ChatKey(
    "reactions",
    Hash("message id", "JSON"),
    bound="as the messages; CHAT_REACTIONS_MAX emoji each",
    writers="`chat/messages/lua/react.lua`",
    doc="The reactions to messages: JSON, emoji → uids.",
)


chat_changes = ChatKey(
    "changes",
    ZSet("message id", "the chat's `rev` then"),
    bound="the newest 1,000",
    writers="`chat/**/*.lua`",
    doc="Which messages were edited, deleted or reacted to lately, for readers that come back.",
)


chat_read_receipts = ChatKey(
    "seen",
    ZSet("uid", "message id, only growing"),
    bound="one entry a member",
    writers="`chat/inbox/lua/mark_read.lua`, `chat/**/*.lua`",
    doc="How far each member has read, as the others see it.",
)


chat_fetch_positions = ChatKey(
    "fetched",
    ZSet("uid", "message id, only growing"),
    bound="one entry a member",
    writers="`chat/api/lua/fetch.lua`, `chat/**/*.lua`",
    doc=(
        "How far each member has fetched. In a chat that keeps messages until they are fetched, "
        "messages go once every member has them."
    ),
)


chat_invites = ChatKey(
    "invites",
    Hash("sha", "three numbers"),
    bound="CHAT_INVITES_MAX; used-up and expired ones go when another is made",
    writers="`chat/**/*.lua`",
    doc=(
        "The invitations to a chat, under the SHA-256 of their secrets: `left expires by` (uses, "
        "unix ms, uid)."
    ),
)


chat_removed = ChatKey(
    "removed",
    ZSet("uid", "unix ms"),
    bound="the newest 1,000",
    writers="`chat/members/lua/leave.lua`, `chat/members/lua/add_members.lua`",
    doc=(
        "Members whom an owner has removed. They come back if an owner adds them, not by joining."
    ),
)


def _message_idempotency(cid: str, uid: int, digest: str) -> str:
    return f"message_idempotency:{{{PARTITION_TAGS[chat_partition(cid)]}}}:{cid}:{uid}:{digest}"


message_idempotency = Key(
    "message_idempotency:{<tag>}:<cid>:<uid>:<hash>",
    _message_idempotency,
    String("id"),
    bound="POST_KEY_HOURS",
    writers="`chat/messages/lua/send.lua`",
    doc=(
        "The message that a sender's key has made (`<hash>` is that of the key), so that a message "
        "that is sent again is one."
    ),
)


group_idempotency = MemberKey(
    "group_idempotency",
    String("cid"),
    facets="<hash>",
    bound="POST_KEY_HOURS",
    writers="`chat/members/groups.py`",
    doc=(
        "The group that a form's key has made (`<hash>` is that of the key), so that a form "
        "that is sent again makes one group."
    ),
)


member_chats = MemberKey(
    "chats",
    ZSet("cid", "unix ms of the newest message"),
    bound="CHATS_MAX, give or take a few",
    writers="`chat/inbox/lua/*.lua`",
    doc="The chats of a member, projected from the chats' own lists.",
)


member_chat_state = MemberKey(
    "chat_state",
    Hash(),
    bound="a few fields a chat",
    writers="`chat/inbox/lua/*.lua`",
    doc=(
        "What a member's list says of each chat: `last:<cid>` (newest message id, projected), "
        "`read:<cid>` (read up to), `muted:<cid>`, `archived:<cid>` (newest message id then), "
        "`waiting:<cid>` (request or ignored)."
    ),
)

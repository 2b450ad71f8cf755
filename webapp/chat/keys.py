"""The keys of chats."""

from webapp.core.store.ids import PARTITIONS
from webapp.core.store.schema import Hash, Key, Set, String, Type, ZSet


def chat_partition(cid: str | int) -> int:
    """Return a chat's partition: its number, or the sum of a direct chat's two, modulo 64."""
    return sum(map(int, str(cid).split("-"))) % PARTITIONS


class ChatKey(Key):
    """A key of one chat, in the chat's partition: `chat:{tag}:cid`, then `suffix`."""

    by = staticmethod(chat_partition)

    def __init__(self, suffix: str, type: Type, *, bound: str, doc: str) -> None:
        end = f":{suffix}" if suffix else ""
        super().__init__(f"chat:{{<tag>}}:<cid>{end}", type, bound=bound, doc=doc)


chat = ChatKey(
    "",
    Hash(),
    bound="kept until its last member leaves or an owner deletes it",
    doc="""A chat: `kind` (private, open, announcement, direct), `name`, `topic`, `picture`,
    `shared` (1: newcomers see what was before), `retention` (history, or fetched: a message
    goes once all have fetched it), `created` (unix ms), `creator` (uid), `last` (newest message
    id), `first` (oldest kept), `indexed` (oldest whose words may be stored), `rev` (counts what
    happened to its messages), `trimmed_rev` (`rev` of the newest change forgotten), `last_at`
    (unix ms), `accepted` (direct: 1 once both want it), `group` (the address of the group whose
    chat it is).""",
)

chat_members = ChatKey(
    "members",
    ZSet("uid", "unix µs, made unique"),
    bound="CHAT_MEMBERS_MAX",
    doc="The members of a chat, in the order they came.",
)

chat_owners = ChatKey(
    "owners",
    Set("uid"),
    bound="as many as its members",
    doc="The owners of a chat, who may change it.",
)

chat_visible_from = ChatKey(
    "visible_from",
    Hash("uid", "two numbers"),
    bound="one field a member",
    doc="""What each member may see of a chat: `first joined`, the first message id and the newest
    when they came, and the uid of who added them; a bot's ends with `b`.""",
)

chat_messages = ChatKey(
    "messages",
    Hash("id", "JSON"),
    bound="CHAT_HISTORY",
    doc="""The messages of a chat, by their dense ids: JSON with `by` (uid), `at` (unix ms), `text`,
    `entities`, `reply`, `pictures`, `card` ([status, author]), `edited` (unix ms); a deleted one
    has `by`, `at` and `gone` (unix ms).""",
)

chat_reactions = ChatKey(
    "reactions",
    Hash("message id", "JSON"),
    bound="as the messages; CHAT_REACTIONS_MAX emoji each",
    doc="The reactions to messages: JSON, emoji → uids.",
)

chat_changes = ChatKey(
    "changes",
    ZSet("message id", "the chat's `rev` then"),
    bound="the newest 1,000",
    doc="Which messages were edited, deleted or reacted to lately, for readers that come back.",
)

chat_read_receipts = ChatKey(
    "read_receipts",
    ZSet("uid", "message id, only growing"),
    bound="one entry a member",
    doc="How far each member has read, as the others see it.",
)

chat_sent = ChatKey(
    "sent",
    Hash("uid", "two numbers"),
    bound="one field a member",
    doc="""How many messages each member has sent: `all read`, those up to where they have read
    second. Both begin at the message before the member's first, and only grow.""",
)

chat_fetch_positions = ChatKey(
    "fetch_positions",
    ZSet("uid", "message id, only growing"),
    bound="one entry a member",
    doc="""How far each member has fetched. In a chat that keeps messages until they are fetched,
    messages go once every member has them.""",
)

message_idempotency = Key(
    "message_idempotency:{<tag>}:<cid>:<uid>:<hash>",
    String("id"),
    by=chat_partition,
    bound="POST_KEY_HOURS; a week for the answer of a webhook",
    doc="""The message that a sender's key has made (`<hash>` is that of the key), so that a message
    that is sent again is one.""",
)

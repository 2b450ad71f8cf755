"""The keys of private mentions."""

from webapp.core.store.schema import MemberKey, ZSet

private_mentions = MemberKey(
    "private_mentions",
    ZSet("`id:author:conversation`", "id of the status"),
    bound="PRIVATE_MENTIONS_MAX, the oldest goes",
    doc="""The private mentions that a member wrote or is named or answered in, and the conversation
    of each. A status that is gone stays in it, unseen, until it is the oldest.""",
    private=True,
)

read_conversations = MemberKey(
    "read_conversations",
    ZSet("conversation", "id of the newest status that was read there"),
    bound="PRIVATE_MENTIONS_MAX, the one that was read longest ago goes",
    doc="How far a member has read each conversation of private mentions.",
    private=True,
)

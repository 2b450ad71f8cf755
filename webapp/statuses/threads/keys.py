"""The keys of threads."""

from webapp.core.store.schema import MemberKey, StatusKey, ZSet

replies = StatusKey(
    "replies",
    ZSet(
        "id",
        (
            "id; below zero for a reply that is for followers to what is for everybody, "
            "which counts only while who wrote that is protected"
        ),
    ),
    bound="no bound: as many as choose to answer; goes with the status",
    doc="The replies to a status.",
)

muted_conversations = MemberKey(
    "muted_conversations",
    ZSet("id of the first post", "unix ms, each higher than the one before"),
    private=True,
    bound="MUTED_CONVERSATIONS_MAX, the oldest goes",
    doc="Conversations about whose posts a member is not notified. Private.",
)

thread = StatusKey(
    "thread",
    ZSet("way", "0"),
    bound="no bound: as many as choose to answer; goes with the status",
    doc="""All that hangs below a status, ten levels down: of each reply the way to it,
    `id.author` with `/` between, ids of 16 digits. In their own order that is depth first, the
    oldest first.""",
)

hidden_replies = MemberKey(
    "hidden_replies",
    ZSet("id", "unix ms, each higher than the one before"),
    private=True,
    bound="HIDDEN_REPLIES_MAX",
    doc="The replies that a member has hidden in threads that they began.",
)

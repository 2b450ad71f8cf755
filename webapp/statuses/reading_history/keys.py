"""The key of reading histories."""

from webapp.core.store.schema import MemberKey, ZSet

viewed = MemberKey(
    "viewed",
    ZSet("status id", "unix ms, each higher than the one before"),
    private=True,
    bound="200, the oldest goes",
    doc="""The posts of others that a member opened last, while `viewed_since` of their account says
    to keep them. Private.""",
)

"""The keys of uploaded pictures."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, ZSet

uploads = PartitionKey(
    "uploads",
    ZSet("name", "when it was sent, unix ms; 0 when its files are to go at once"),
    bound="LIMIT_PICTURES in ten minutes and what was deleted since the last look",
    doc="""The pictures of a partition's members that no status and no draft shows, not yet or no
    longer, and those of its chats that no message shows yet, so that their files can go.""",
)

picture_bytes = MemberKey(
    "picture_bytes",
    Hash("first 12 characters of a picture's token; `total`", "bytes"),
    bound="a field for each picture of the member's posts and drafts, and one",
    doc="How large the files of a member's pictures are, for `PICTURE_MEGABYTES_MAX`.",
    private=True,
)

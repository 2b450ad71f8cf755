"""The keys of drafts and scheduled posts."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, ZSet

draft = MemberKey(
    "draft",
    Hash(),
    facets="<form>",
    bound="kept until it is posted or deleted",
    doc="""A post or a thread that waits: `fields` (JSON: the fields of its form as they were left),
    `saved` (unix ms, made unique); `media` (JSON, as in `status`, with a hash in the place of "")
    where it has pictures; `due` (unix ms) where it is to be posted then, or `failed` (a reason of
    `errors.SENTENCES`) where it could not be; `reviewed` where a moderator has published it.""",
)

drafts = MemberKey(
    "drafts",
    ZSet("form's key", "when it was saved, unix ms, made unique"),
    bound="DRAFTS_MAX",
    doc="""A member's posts that wait. Each is called by its form's key, so that a form that is sent
    twice is one draft.""",
)

scheduled_posts = PartitionKey(
    "scheduled",
    ZSet("uid:form's key", "when it is due, unix ms"),
    bound="at most DRAFTS_MAX a member",
    doc="The posts of a partition that wait for their time.",
)

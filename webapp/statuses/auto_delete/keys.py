"""The keys of automatic deletion."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, ZSet

auto_delete = MemberKey(
    "auto_delete",
    Hash(),
    private=True,
    bound="two fields",
    doc="""The rule by which a member's old posts are deleted, if there is one: `rule` (the age in
    days, then the kinds of posts that stay, parted by blanks) and `above`, the id up to which the
    job has looked at the posts.""",
)

auto_delete_due = PartitionKey(
    "auto_delete_due",
    ZSet("uid", "when the job looks at the member's posts next, unix seconds"),
    bound="one entry a member with a rule",
    doc="The members whose old posts are deleted. The job removes those who are gone.",
)

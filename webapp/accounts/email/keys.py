"""The keys of members' e-mail addresses."""

from webapp.core.store.schema import Hash, Key, MemberKey, PartitionKey, String, ZSet

email = MemberKey(
    "email",
    Hash(),
    bound="two addresses, and three fields for each of the secrets",
    private=True,
    doc="""A member's e-mail address, which nobody else sees: `address` (verified), `claim` (as in
    `address:…`), `pending` (not verified yet), `applied` (of an applicant) and `applied_language`
    (in which it hears that they are accepted), and of what a mail proves (`verify`, `login`,
    `reset`): the HMAC of the secret under its name, `<name>_until` (unix ms), `<name>_tries` (those
    left).""",
)

address = Key(
    "address:{<sha256>}",
    String("`uid:ms`, when it was claimed"),
    bound="kept while a member has the address",
    doc="""Who has claimed this e-mail address, under its SHA-256. After 60 s a claim of a member
    who has another address may be taken over.""",
)

digests = PartitionKey(
    "digests",
    ZSet("uid", "unix seconds"),
    bound="one entry a member who wants a digest",
    doc="The members who want a weekly digest, by when the next is due.",
)

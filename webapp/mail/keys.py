"""The keys of mails that wait to be sent."""

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, List, PartitionKey, ZSet

mails = PartitionKey(
    "mails",
    ZSet("mail", "unix ms"),
    bound="MAILS_WAITING_MAX",
    doc="""The mails of a partition's members, by when the next try is due, or the lease of the
    worker that sends it runs out. A mail's name begins with its class: 0 for codes, 1 for
    notices.""",
)

mail = Key(
    "mail:{<tag>}:<mail>",
    Hash(),
    by=partition_of,
    bound="expires with what it says, at the latest after 3 days",
    doc="""A mail to a member: `uid`, `to`, `content` (its subject and both texts, sealed with
    SECRET_KEY), `tries` (failed ones).""",
)

parked_mails = PartitionKey(
    "parked_mails",
    List(),
    bound="the newest 20",
    doc="The mails that were given up, the newest first: JSON with `mail`, `uid`, `error`, `at`.",
)

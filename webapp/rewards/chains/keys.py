"""The keys of chains."""

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, ZSet

chains = Key(
    "chains:{<tag>}:<kind>",
    Hash("id", "its values, as JSON"),
    by=partition_of,
    bound="one entry a chain, until its last step",
    doc="The chains of a kind that the partition began and that have not ended.",
)

due_chains = Key(
    "due_chains:{<tag>}:<kind>",
    ZSet("id", "when a worker tries it again, unix ms"),
    by=partition_of,
    bound="as `chains`",
    doc="When each chain of a partition is to be driven on, if the event did not do it.",
)

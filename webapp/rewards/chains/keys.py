"""The keys of chains."""

from __future__ import annotations

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, ZSet, partition_tag

chains = Key(
    "chains:{<tag>}:<kind>",
    lambda number, kind: f"chains:{{{partition_tag(number)}}}:{kind}",
    Hash("id", "its values, as JSON"),
    by=partition_of,
    bound="one entry a chain, until its last step",
    doc="The chains of a kind that the partition began and that have not ended.",
)

due_chains = Key(
    "due_chains:{<tag>}:<kind>",
    lambda number, kind: f"due_chains:{{{partition_tag(number)}}}:{kind}",
    ZSet("id", "when a worker tries it again, unix ms"),
    by=partition_of,
    bound="as `chains`",
    doc="When each chain of a partition is to be driven on, if the event did not do it.",
)

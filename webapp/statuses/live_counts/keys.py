"""The key of live counts."""

from webapp.core.store.schema import PartitionKey, ZSet

changed_counts = PartitionKey(
    "changed_counts",
    ZSet("status id", "when open pages get the counts, unix ms"),
    bound="the statuses whose counts changed within about a second",
    doc="Statuses of the partition with other counts than open pages show.",
)

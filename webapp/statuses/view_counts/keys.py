"""The key of view counts."""

from webapp.core.store.schema import StatusKey, String

views = StatusKey(
    "views",
    String("HyperLogLog"),
    bound="12 KB; expires VIEW_DAYS after the status was posted, and goes with it",
    doc="About how many different people saw a status. It holds nobody's name or address.",
)

"""The keys of drops and orders."""

from webapp.core.store.schema import Hash, MemberKey, SiteKey, String, ZSet


class DropKey(MemberKey):
    """A key of one drop, in the partition of its id."""

    id = "id"


last_drop = SiteKey(
    "last_drop",
    String("(counter)"),
    bound="no bound: one value",
    doc="The last id of a drop.",
)

drops = SiteKey(
    "drops",
    ZSet("id", "when it opens, unix ms"),
    bound="DROPS_MAX, the newest",
    doc="The drops that pages list.",
)

drop = DropKey(
    "drop",
    Hash(),
    bound="expires 90 days after it closes",
    doc="""A drop: `title`, `about`, `kind` (`badge` or `thing`), `price`, `stock` (all pieces),
    `left` (pieces that nobody has reserved), `opens`, `closes` (both in unix ms), `taken` (orders
    so far, refused ones included), `days` (since joining, that a member needs), `share` (percent of
    the pieces that are for members who never got one, until half of the time is over), `kept`
    (pieces of the share that were left then).""",
)

drop_orders = DropKey(
    "drop_orders",
    Hash("uid", "`number state at`, and ` kept`"),
    bound="no bound: one entry for each member who ordered; expires with the drop",
    doc="""The orders of a drop: the number in the order of arrival; `reserved`, then `paid` and
    `delivered`, or `refused`; and when (unix ms). At any time `stock` is `left`, those that are not
    refused, and those of deleted members. With ` kept` it took a piece of the share for first
    pieces.""",
)

orders = MemberKey(
    "orders",
    ZSet("drop id", "when, unix ms"),
    bound="ORDERS_MAX, the newest",
    doc="The drops that a member ordered from. The orders themselves are with the drops.",
)

first_piece = MemberKey(
    "first_piece",
    String("unix ms"),
    private=True,
    bound="one value",
    doc="When the member ordered the first piece that was paid. Drops can keep pieces for others.",
)

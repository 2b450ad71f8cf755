"""The keys of items and their owners."""

from webapp.core.store.schema import Hash, MemberKey, SiteKey, String, ZSet


class ItemKey(MemberKey):
    """A key of one item, in the partition of its id."""

    id = "id"


last_gift = SiteKey(
    "last_gift",
    String("(counter)"),
    bound="no bound: one value",
    doc="The number of the last item that an operator gave.",
)

item = ItemKey(
    "item",
    Hash(),
    bound="twenty fields; goes with its owner's account",
    doc="""An item, the truth about its owner and its sale: `kind` (`badge` or `thing`), `title`,
    `owner` (uid), `since` (unix µs; each owner's is later than the one before), `state` (`held`,
    `listed`, or `reserved` while a buyer pays), `version` (grows with each change). While it is for
    sale: `price` (of an auction: the lowest bid), `sale` (`fixed` or `auction`), `listed`,
    `begins`, `ends` (unix ms; 0: no end), `hold` (the number of the highest bid), `bid`, `bidder`
    (uid). `refused`: the uid of the last buyer who could not pay. `abandoned` = 1 if its owner left
    while it was reserved.""",
)

owned_items = MemberKey(
    "owned_items",
    ZSet("item id", "since when, unix µs"),
    bound="ITEMS_MAX, which the market checks before each purchase; drops add one each",
    doc="The items of a member. Projected: readers leave out those that have another owner.",
)

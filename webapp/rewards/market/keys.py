"""The keys of sales, payments for them, lists of the market and carts."""

from webapp.core.store.schema import Hash, Key, List, MemberKey, PartitionKey, SiteKey, ZSet
from webapp.rewards.items.keys import ItemKey

item_holds = ItemKey(
    "item_holds",
    Hash("number", "`uid`, `amount`, `what`, `state`, `at`, `until` (unix ms), as JSON"),
    bound="HOLDS_MAX, and a purchase",
    doc="""Payments for an item that have not ended, each named by the version of the item that it
    made. `what`: `purchase`, `bid` or `offer`. `state`: `asked` until it is paid, then `held`: the
    points are off the member's account.""",
)

item_payouts = ItemKey(
    "item_payouts",
    Hash("reference", "`uid`, `amount`, `what`, as JSON"),
    bound="as `item_holds`; the chain that is in progress empties it",
    doc="The points, perhaps 0, and the news that members get because of an item.",
)

item_prices = ItemKey(
    "item_prices",
    List(),
    bound="PRICES_MAX, the newest first",
    doc="What an item was sold for: `price unix-ms`, without the names of buyers.",
)

due_sales = PartitionKey(
    "due_sales",
    ZSet("item id", "unix ms"),
    bound="the items of the partition that are for sale or have offers",
    doc="When something ends next at an item: its sale, or an offer for it.",
)

market_list = Key(
    "market_list:{market}:<order>",
    ZSet("`sort key:kind price:item id`", "0"),
    bound="MARKET_MAX",
    doc="""What is for sale, in the order of the members' letters: by `price`, `new` (newest first),
    `name` or `ends`. Projected: readers leave out items that are no longer for sale.""",
)

market_entries = SiteKey(
    "market_entries:{market}",
    Hash("item id", "`version`, `members` by order, as JSON"),
    bound="MARKET_MAX",
    doc="How each item is listed, to take it from the lists again, and by which version of it.",
)

trades = MemberKey(
    "trades",
    ZSet("`item:reference:what:amount:title`", "when, unix µs"),
    private=True,
    bound="TRADES_MAX, the newest",
    doc="""News of the market for a member. `what`: `sold`, `bought`, `outbid`, `offered`,
    `declined` (an offer was, or has ended), `withdrawn` (the sale was), `unpaid`, `late` (somebody
    was quicker) or `unsold`.""",
)

cart = MemberKey(
    "cart",
    ZSet("item id", "when it was added, unix ms"),
    private=True,
    bound="CART_MAX",
    doc="The items in a member's cart. Those of more than 30 days ago go with the next change.",
)

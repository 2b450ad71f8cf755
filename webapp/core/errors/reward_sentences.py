"""What people are told when points, drops or the market refuse something."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

REWARDS: dict[str, LazyString] = {
    "funds": _l("You don’t have enough points for that."),
    "points_refused": _l("This payment was refused. Please try again."),
    "no_drop": _l("This drop doesn’t exist."),
    "no_order": _l("You haven’t ordered from this drop."),
    "drop_not_open": _l("This drop isn’t open yet."),
    "drop_open": _l("This drop is open, so it can’t be changed. You can close it."),
    "drop_closed": _l("This drop is closed."),
    "drop_sold_out": _l("All pieces of this drop are taken."),
    "drop_again": _l("You have already ordered from this drop."),
    "no_item": _l("This item doesn’t exist."),
    "own_item": _l("This is yours already."),
    "item_busy": _l("Someone is buying this or has bid on it, so it can’t be changed now."),
    "item_changed": _l("This item has changed in the meantime. Check it and try again."),
    "item_sold": _l("Someone was quicker: this has just been sold or taken off the market."),
    "price_changed": _l("The price has changed. Check the new one before you buy."),
    "sale_not_open": _l("This sale hasn’t begun yet."),
    "sale_ended": _l("This sale has ended."),
    "bid_low": _l("Someone has bid more in the meantime. Bid higher."),
    "bid_highest": _l("Your bid is the highest already."),
    "item_asked": _l("You have an open bid or offer for this already."),
    "holds_full": _l("This item has as many open offers as it can. Please try again later."),
    "no_offer": _l("This offer doesn’t exist anymore."),
    "items_full": _l("You’ve reached the limit for items. Sell one first."),
    "market_full": _l("The market is full right now. Please try again later."),
    "nothing_chosen": _l("Choose at least one item that is for sale."),
    "cart_full": _l("Your cart is full. Remove something first."),
    "no_repair": _l("There’s no missed day to repair. Only yesterday can be repaired."),
    "repaired": _l("You’ve used this month’s repair. The next one comes with the next month."),
    "zone_early": _l("You can change your time zone once a week. Please try again later."),
    "not_public": _l("Only a public post can be promoted."),
    "promoted": _l("This post is already promoted."),
    "promotions_full": _l("You’ve reached the limit for promoted posts. End one first."),
    "no_promotion": _l("This post isn’t promoted."),
    "promotion_state": _l("This promotion has changed in the meantime. Look at it again."),
}

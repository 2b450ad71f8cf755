"""The sentences of refusals that the optional rooms, imports and sign-ins have of their own."""

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

ROOM_SENTENCES: dict[str, LazyString] = {
    # Of log-ins: wrong passwords, codes and passkeys.
    **dict.fromkeys(("wrong_code", "used_code"), _l("That code isn’t right, or was used already.")),
    "wrong_recovery": _l(
        "That username and those codes don’t belong together, or a code was used already."
    ),
    "wrong_passkey": _l("That passkey didn’t work, or it took too long. Please try again."),
    "copied_passkey": _l(
        "Someone may have copied this passkey. Log in another way, then remove it in your settings."
    ),
    "passkeys_full": _l("You’ve reached the limit for passkeys. Remove one first."),
    "no_passkeys": _l("Passkeys don’t work at this address."),
    "sign_in_gone": _l("Please log in again: that took too long, or had too many tries."),
    "not_your_password": _l("That’s not your password."),
    "wrong_password": _l("Wrong username or password."),
    # Of imports: of whole files, lines and posts.
    "csv_bad": _l("We can’t read that file. Choose a CSV file in UTF-8, as Mastodon exports it."),
    "csv_long": _l("That file is too big. It can have up to 10,000 lines and 1 MB."),
    "csv_row": _l("This line isn’t complete."),
    "posts_bad": _l(
        "There are no posts in that file. Choose a ZIP file from Mastodon or X, or the file "
        "outbox.json or tweets.js in it."
    ),
    "posts_long": _l("There’s too much in that file."),
    "import_boost": _l("It’s a boost of someone else’s post."),
    "import_private": _l("It’s a private message."),
    "import_reply": _l("It answers a post that isn’t imported."),
    "import_kind": _l("It’s a poll, or something else that isn’t a post."),
    "import_text": _l("It has no text."),
    "import_long": _l("Its text is too long."),
    "import_date": _l("Its date is missing, or not possible."),
    "import_more": _l("Only the newest 10,000 posts are imported."),
    "import_broken": _l("It can’t be read."),
    "elsewhere_member": _l("This account is on another site."),
    "elsewhere_post": _l("This post is on another site."),
    # Of groups.
    "no_group": _l("This group doesn’t exist, or you can’t see it."),
    "many_groups": _l("Choose at most three groups."),
    "groups_not_open": _l("Several groups must all be open. Post to others one at a time."),
    "not_in_group": _l("Join the group first."),
    "owners_post": _l("Only owners post in this group."),
    "only_group_owners": _l("Only an owner of this group can do that."),
    "group_owner": _l("Owners can only step down themselves."),
    "group_banned": _l("An owner of this group has banned you from it."),
    "group_full": _l("This group is full."),
    "groups_full": _l("You’ve reached the limit for groups. Leave one first."),
    "group_owners_full": _l("This group has reached the limit for owners."),
    "group_requests_full": _l("Many people are waiting to join this group. Try again later."),
    "group_pins_full": _l("A group has at most three pinned posts. Unpin one first."),
    "group_invite_banned": _l("Someone you chose is banned from this group."),
    "group_invite_bad": _l("This invitation has ended. Ask for a new one."),
    "group_invites_full": _l("Too many invitations are waiting. Revoke one first."),
    "cannot_invite_them": _l("You can’t invite this person."),
    "no_report": _l("This report was answered, or has gone to the people who run this site."),
    "group_last_owner": _l(
        "A group needs an owner. Make someone else an owner, or close it in its settings."
    ),
    "no_group_request": _l("This request was answered or taken back."),
    "slug_taken": _l("Another group has this address. Choose a different one."),
    "no_voting": _l("This group doesn’t have such votes."),
    "own_vote": _l("Your own post counts as one vote already."),
    "vote_late": _l("This post no longer takes votes."),
    # Of points, drops, the market and promotions.
    "funds": _l("You don’t have enough points for that."),
    "points_refused": _l("This payment was refused. Please try again."),
    "no_drop": _l("This drop doesn’t exist."),
    "no_order": _l("You haven’t ordered from this drop."),
    "drop_not_open": _l("This drop isn’t open yet."),
    "drop_open": _l("This drop is open, so it can’t be changed. You can close it."),
    "drop_closed": _l("This drop is closed."),
    "drop_sold_out": _l("All pieces of this drop are taken."),
    "drop_too_early": _l("You joined too recently for this drop."),
    "drop_kept": _l(
        "The pieces that are left are reserved for now, for members who have never got one."
    ),
    "drop_again": _l("You have already ordered from this drop."),
    "no_item": _l("This item doesn’t exist."),
    "own_item": _l("This is yours already."),
    "others_item": _l("This item belongs to someone else."),
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
    "not_public": _l("Only a public post outside of groups can be promoted."),
    "promoted": _l("This post is already promoted."),
    "site_promotions_full": _l(
        "There’s no room for another promoted post right now. You paid nothing: try again later."
    ),
    "promotions_full": _l("You’ve reached the limit for promoted posts. End one first."),
    "no_promotion": _l("This post isn’t promoted."),
    "promotion_state": _l("This promotion has changed in the meantime. Look at it again."),
}

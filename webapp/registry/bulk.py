"""The group `bulk`: work that grows with a member's or a status's data, done in slices.

It gets an event after the other groups have applied it and all earlier ones of the partition. A
deletion or an edit is synced again, because a slice may have written an older state meanwhile.
"""

from collections.abc import Sequence
from dataclasses import replace

from webapp.accounts import projections as accounts
from webapp.accounts.email import addresses
from webapp.archive import files as archive
from webapp.autocomplete import contact_projections as contacts, rank_projections as ranks
from webapp.chat import cleanup
from webapp.chat.bots import projections as bot_projections
from webapp.chat.inbox import projections as inbox
from webapp.core.events.outbox import Context, Event, whole
from webapp.core.events.registry import BulkProjections
from webapp.explore.suggestions import jobs as suggestions
from webapp.following import projections as following
from webapp.following.blocks import projections as blocks
from webapp.following.requests import projections as requests
from webapp.lists import projections as lists
from webapp.notifications import (
    poll_projections as poll_notifications,
    projections as notifications,
    removal as notification_removal,
)
from webapp.search.index import bookmark_projections as search_bookmarks, projections as search
from webapp.statuses import projections as statuses
from webapp.statuses.attachments import projections as attachments
from webapp.statuses.folders import projections as folders
from webapp.statuses.interactions import boost_projections as boosts
from webapp.statuses.polls import projections as polls
from webapp.statuses.quotes import projections as quotes
from webapp.statuses.threads import projections as threads, protection_projections as protection
from webapp.timelines import account_projections as account_timelines
from webapp.timelines.hot import bulk_projections as hot
from webapp.timelines.tags import projections as tags
from webapp.timelines.trends import projections as trends


def count_followers(context: Context, event: Event, uids: Sequence[int]) -> None:
    """Note how many followers members have now, in the indexes of names and of people."""
    events = [replace(event, data={"target": str(uid)}) for uid in uids]
    ranks.compare_ranks(context, events)
    search.index_followed(context, events)


def purge_follows(context: Context, event: Event, cursor: str) -> str | None:
    """Remove some follows of a deleted account, and note the others' numbers of followers."""
    return account_timelines.purge_follows(context, event, cursor, count_followers)


def relabel_replies(context: Context, event: Event, cursor: str) -> str | None:
    """Write a member's new login into some replies to them, and into the index."""
    return threads.relabel_replies(context, event, cursor, search.reindex_entries)


# Search finds all posts of a member, and replies to them, or no longer.
REINDEXED = (search.reindex_posts, search.reindex_replies)
# The posts of a member return to hashtags and hot posts.
LISTED_AGAIN = (
    *(tags.reindex_indexed, tags.reindex_statuses, tags.reindex_replies),
    *(hot.sync_posts, hot.sync_replies),
)
BULK: BulkProjections = {
    "reindex_requested": (whole(tags.refold_own_tags), tags.reindex_indexed),
    "announced": (notifications.notify_subscribers,),
    "withdrawn": (notifications.notify_subscribers,),
    "edited": (
        tags.reindex_status,
        trends.resync_post,
        search.reindex_status,
        search_bookmarks.reindex_bookmarked,
    ),
    "deleted": (
        whole(threads.sync_replies),
        whole(quotes.sync_quotes),
        tags.reindex_status,
        trends.resync_post,
        boosts.purge_deleted_status,
        search.reindex_status,
        search_bookmarks.reindex_bookmarked,
    ),
    "profile_edited": (
        search.if_search_changed(search.reindex_posts),
        search.if_search_changed(search.reindex_replies),
        search.if_renamed(search.reindex_restricted),
        search.if_renamed(relabel_replies),
        search.if_renamed(search_bookmarks.reindex_authored),
    ),
    "locations_removed": (attachments.erase_places,),
    "poll_ended": (poll_notifications.notify_poll_ended,),
    "suspended": (
        tags.reindex_indexed,
        trends.resync_member,
        requests.cancel_sent,
        requests.cancel_received,
        hot.sync_liked,
        hot.sync_boosted,
        *REINDEXED,
    ),
    "restored": (*LISTED_AGAIN, hot.sync_liked, hot.sync_boosted, *REINDEXED),
    "limited": (tags.reindex_indexed, trends.resync_member, *REINDEXED),
    "unlimited": (*LISTED_AGAIN, *REINDEXED),
    "protected": (
        tags.reindex_indexed,
        protection.sync_replies,
        protection.sync_statuses,
        *REINDEXED,
        trends.resync_member,
    ),
    "unprotected": (
        requests.accept_waiting,
        *LISTED_AGAIN,
        protection.sync_replies,
        protection.sync_statuses,
        *REINDEXED,
    ),
    "account_deleted": (
        accounts.purge_pictures,
        *REINDEXED,
        search.reindex_restricted,
        search_bookmarks.forget_bookmarked,
        search_bookmarks.unlist_bookmarks,
        search_bookmarks.purge_bookmarks,
        tags.reindex_indexed,
        trends.resync_member,
        contacts.purge_deleted_account,
        statuses.purge_deleted_account,
        whole(statuses.purge_drafts),
        hot.purge_likes,
        hot.purge_boosts,
        polls.purge_deleted_account,
        requests.cancel_sent,
        requests.cancel_received,
        notification_removal.purge_deleted_account,
        lists.purge_memberships,
        lists.purge_lists,
        whole(following.purge_subscriptions),
        account_timelines.purge_followers,
        purge_follows,
        blocks.purge_deleted_account,
        whole(suggestions.purge_deleted_account),
        inbox.purge_deleted_account,
        whole(bot_projections.purge_bots),
        whole(bot_projections.purge_webhooks),
        whole(folders.purge_deleted_account),
        whole(addresses.purge_deleted_account),
    ),
    "chat_deleted": (cleanup.purge_deleted_chat,),
    "chat_pictures_removed": (cleanup.purge_deleted_chat,),
}
# What follows the optional systems: their projections read private keys of deleted accounts too.
BULK_AT_LAST: BulkProjections = {
    "account_deleted": (
        whole(accounts.purge_private_keys),
        whole(archive.purge_deleted_account),
        whole(accounts.reserve_logins),
    ),
}

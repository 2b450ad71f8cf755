"""The group `log`: short projections, which live readers wait for.

All hiding is done here. Pages are invalidated before streams announce an event, so that a reader
who then loads the page sees it.
"""

from webapp.accounts import projections as accounts
from webapp.accounts.invitations import own as own_invites
from webapp.autocomplete.name_projections import sync_names
from webapp.core.events.outbox import together
from webapp.core.events.registry import Projections
from webapp.following.blocks import projections as blocks
from webapp.following.requests import projections as requests
from webapp.lists import listed_on, projections as lists
from webapp.moderation import projections as moderation
from webapp.moderation.bans import projections as flagged
from webapp.notifications import (
    poll_projections as poll_notifications,
    projections as notifications,
    removal as notification_removal,
)
from webapp.notifications.push import devices as push_devices
from webapp.statuses.interactions import boost_projections as boosts, like_projections as likes
from webapp.statuses.link_cards import projections as link_cards
from webapp.statuses.polls import projections as polls
from webapp.statuses.private_mentions.projections import sync_private_mentions
from webapp.statuses.quotes import projections as quotes
from webapp.statuses.threads import hidden_replies, projections as threads
from webapp.streaming.log import projections as stream
from webapp.timelines import account_projections as account_timelines
from webapp.timelines.fanout.publish import publish
from webapp.timelines.hot import projections as hot
from webapp.timelines.page_invalidation import member_pages, status_pages
from webapp.timelines.tags import projections as tags

from .comparisons import LOG_COMPARISONS

# The text of a post is new, or has changed.
TEXT = together(
    stream.append, notifications.notify_mentions, link_cards.queue_cards, sync_private_mentions
)
LIKED = (
    likes.sync_likers,
    together(hot.sync_statuses, status_pages.for_likes, notifications.notify_likes),
)
BOOSTED = (
    boosts.sync_boosters,
    together(hot.sync_statuses, status_pages.for_boosts),
    together(stream.append, notifications.notify_boosts),
)
# Others may see all posts of a member, or no longer.
NEW_AUDIENCE = (account_timelines.sync_author_visibility, hot.sync_author, member_pages.for_members)
LOG: Projections = {
    **LOG_COMPARISONS,
    "posted": (
        together(publish, tags.index, threads.sync_replies, quotes.sync_quotes),
        together(hot.sync_statuses, status_pages.for_statuses),
        TEXT,
        flagged.report_posts,
    ),
    "imported": (threads.sync_replies, flagged.report_imported),
    "deleted": (
        together(
            publish, tags.index, threads.sync_replies, quotes.sync_quotes, sync_private_mentions
        ),
        together(hot.sync_statuses, status_pages.for_statuses),
        stream.append,
        notification_removal.on_statuses_deleted,
    ),
    "edited": (tags.index, hot.sync_statuses, status_pages.for_authors, TEXT, flagged.report_posts),
    "card_changed": (status_pages.for_authors, stream.append),
    "pinned": (member_pages.for_profiles,),
    "unpinned": (member_pages.for_profiles,),
    "quote_detached": (status_pages.for_authors, stream.append),
    "quote_reattached": (status_pages.for_authors,),
    "liked": LIKED,
    "unliked": LIKED,
    "counted": (stream.append,),
    "boosted": BOOSTED,
    "unboosted": BOOSTED,
    "voted": (
        polls.sync_votes,
        status_pages.for_polls,
        stream.append_tallies,
        poll_notifications.notify_late_voters,
    ),
    "unposted": (notifications.notify_unposted, flagged.report_drafts),
    "signed_in_abroad": (notifications.notify_abroad,),
    "webhook_failed": (notifications.notify_undelivered,),
    "poll_ended": (status_pages.for_polls, stream.append),
    "followed": (
        together(
            requests.sync_requests,
            stream.append,
            notifications.notify_follows,
            notifications.notify_follow_requests,
        ),
    ),
    "unfollowed": (together(stream.append, notifications.notify_follows),),
    # A request to a member who is public by now is granted first: then nobody is told of it.
    "requested": (requests.sync_requests, notifications.notify_follow_requests),
    "unrequested": (together(requests.sync_requests, notifications.notify_follow_requests),),
    "accepted": (requests.resolve_requests,),
    "refused": (requests.resolve_requests,),
    # Streams check a block as soon as they learn of it.
    "blocked": (blocks.sync_blockers, stream.append, notification_removal.on_block, lists.on_block),
    "unblocked": (blocks.sync_blockers, stream.append),
    "muted": (notification_removal.on_muted, stream.append),
    "unmuted": (stream.append,),
    "boosts_hidden": (stream.append,),
    "boosts_shown": (stream.append,),
    "reply_hidden": (hidden_replies.on_change,),
    "reply_shown": (hidden_replies.on_change,),
    "tags_changed": (stream.append,),
    "filter_saved": (notification_removal.on_filter_saved, stream.append),
    "filter_deleted": (stream.append,),
    "list_member_added": (listed_on.sync_listed_on, member_pages.for_lists, stream.append),
    "list_member_removed": (listed_on.sync_listed_on, member_pages.for_lists, stream.append),
    "list_created": (member_pages.for_lists,),
    "list_changed": (listed_on.sync_public_lists, member_pages.for_lists, stream.append),
    "list_deleted": (lists.purge_deleted_list, member_pages.for_lists, stream.append),
    "profile_edited": (
        accounts.reserve_former_logins,
        sync_names,
        member_pages.for_members,
        stream.append,
        flagged.report_members,
    ),
    "locations_removed": (member_pages.for_members, stream.append),
    "joined": (
        sync_names,
        moderation.list_waiting,
        own_invites.list_invited,
        flagged.report_members,
    ),
    "rank_changed": (sync_names,),
    "reindex_requested": (sync_names,),
    "signed_out": (push_devices.remove_signed_out, stream.append),
    "suspended": (
        own_invites.cancel_all,
        push_devices.remove_signed_out,
        accounts.sync_picture_flags,
        sync_names,
        *NEW_AUDIENCE,
        stream.append,
    ),
    "restored": (
        moderation.list_waiting,
        accounts.sync_picture_flags,
        sync_names,
        *NEW_AUDIENCE,
        stream.append,
    ),
    "limited": (sync_names, *NEW_AUDIENCE),
    "unlimited": (sync_names, *NEW_AUDIENCE),
    "moderated": (moderation.settle, notifications.notify_moderated),
    "appealed": (moderation.list_appeals,),
    "protected": (accounts.sync_picture_flags, *NEW_AUDIENCE, stream.append),
    "unprotected": (accounts.sync_picture_flags, *NEW_AUDIENCE),
    "account_deleted": (
        moderation.list_waiting,
        own_invites.cancel_all,
        push_devices.remove_signed_out,
        sync_names,
        *NEW_AUDIENCE,
        stream.append,
    ),
}

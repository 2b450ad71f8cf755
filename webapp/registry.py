"""What workers do: each event's projections, in order, and the periodic jobs.

With `create_app` this is the one place that knows all rooms.

Events and their fields (`uid` is who acted; `?` marks a field that only some have):

    posted            id author mentions? to? above? vis? who?
    deleted           as posted, and: answered?
    edited            uid replaced
    revised           as posted
    pinned, unpinned  uid id
    scrubbed          uid up_to
    boosted, unboosted                id (of the boost) uid target author
    liked, unliked                    uid id author
    voted             uid id author vis?
    poll_ended        id author vis?
    detached, reattached              uid id
    followed          uid target at asked?
    unfollowed, follower_removed      uid target
    requested, unrequested, accepted, refused    uid target
    blocked, unblocked                uid target
    muted, unmuted, retagged          uid
    signed_out, suspended, restored, protected, unprotected    uid
    removed           uid login
    listed, unlisted  uid list target
    list_made, list_changed           uid list
    list_gone         uid list members
    chatted           chat id by at
    chat_members      chat uids asked
    chat_gone         chat uids
    chat_swept        chat names
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .accounts import projections as accounts
from .accounts.sessions import store as sessions
from .chat import cleanup
from .chat.bots import store as bots
from .chat.bots import webhooks
from .chat.bots.webhook_worker import Deliverer
from .chat.inbox import projections as inbox
from .core.events.outbox import Context, Event, Projection
from .core.events.registry import Registry
from .following import projections as following
from .following.blocks import projections as blocks
from .following.mutes import projections as mutes
from .following.requests import projections as requests
from .lists import delivery as list_delivery
from .lists import jobs as list_jobs
from .lists import projections as lists
from .notifications import chats as chat_notifications
from .notifications import projections as notifications
from .statuses import projections as statuses
from .statuses.attachments import staging
from .statuses.drafts import store as drafts
from .statuses.filters import store as filters
from .statuses.interactions import boost_projections as boosts
from .statuses.interactions import like_projections as likes
from .statuses.polls import projections as polls
from .statuses.polls import voting
from .statuses.quotes import projections as quotes
from .statuses.threads import projections as threads
from .statuses.visibility import protection_projections as protection
from .streaming.log import projections as stream
from .timelines import account_projections as account_timelines
from .timelines import jobs as timeline_jobs
from .timelines.fanout import deliver as home_fanout
from .timelines.fanout.backfill import backfill
from .timelines.fanout.publish import publish
from .timelines.pages import invalidation as pages
from .timelines.tags import projections as tags

Projections = Mapping[str, Sequence[Projection]]


def deliver_statuses(context: Context, events: Sequence[Event]) -> None:
    """Deliver statuses and boosts to homes, then to the lists that their authors are on."""
    list_delivery.deliver_statuses(context, home_fanout.deliver(context, events))


def retract_statuses(context: Context, events: Sequence[Event]) -> None:
    """Take deleted statuses and boosts out of homes, then out of lists."""
    list_delivery.retract_statuses(context, home_fanout.retract(context, events))


# Short projections. Pages are invalidated before streams announce an event, so that a reader who
# then loads the page sees it.
LOG: Projections = {
    "posted": (
        publish,
        threads.sync_replies,
        quotes.sync_quotes,
        tags.index,
        pages.for_statuses,
        stream.append,
        notifications.notify_mentions,
    ),
    "deleted": (
        publish,
        threads.sync_replies,
        quotes.sync_quotes,
        tags.index,
        pages.for_statuses,
        stream.append,
        notifications.on_statuses_deleted,
        boosts.purge_deleted_statuses,
    ),
    "revised": (tags.index, pages.for_authors, stream.append, notifications.notify_mentions),
    "pinned": (pages.for_profiles,),
    "unpinned": (pages.for_profiles,),
    "detached": (pages.for_authors,),
    "reattached": (pages.for_authors,),
    "liked": (likes.sync_likers, pages.for_likes, notifications.notify_likes),
    "unliked": (likes.sync_likers, pages.for_likes, notifications.notify_likes),
    "boosted": (
        boosts.sync_boosters,
        pages.for_boosts,
        stream.append,
        notifications.notify_boosts,
    ),
    "unboosted": (
        boosts.sync_boosters,
        pages.for_boosts,
        stream.append,
        notifications.notify_boosts,
    ),
    "voted": (
        polls.sync_votes,
        pages.for_polls,
        stream.append_tallies,
        notifications.notify_late_voters,
    ),
    "poll_ended": (pages.for_polls, stream.append),
    "followed": (
        requests.sync_requests,
        stream.append,
        notifications.notify_follows,
        notifications.notify_follow_requests,
    ),
    "unfollowed": (stream.append, notifications.notify_follows),
    "requested": (requests.sync_requests, notifications.notify_follow_requests),
    "unrequested": (requests.sync_requests, notifications.notify_follow_requests),
    "accepted": (requests.resolve_requests,),
    "refused": (requests.resolve_requests,),
    # Streams check a block as soon as they learn of it.
    "blocked": (blocks.sync_blockers, stream.append, notifications.on_block, lists.on_block),
    "unblocked": (blocks.sync_blockers, stream.append),
    "muted": (stream.append,),
    "unmuted": (stream.append,),
    "retagged": (stream.append,),
    "listed": (lists.sync_listed_on, pages.for_lists, stream.append),
    "unlisted": (lists.sync_listed_on, pages.for_lists, stream.append),
    "list_made": (pages.for_lists,),
    "list_changed": (pages.for_lists, stream.append),
    "list_gone": (lists.purge_deleted_list, pages.for_lists, stream.append),
    "edited": (pages.for_members, stream.append),
    "scrubbed": (pages.for_members, stream.append),
    "signed_out": (stream.append,),
    "suspended": (
        account_timelines.sync_author_visibility,
        pages.for_members,
        stream.append,
        tags.reindex_author,
        requests.cancel_requests,
    ),
    "restored": (
        account_timelines.sync_author_visibility,
        pages.for_members,
        stream.append,
        tags.reindex_author,
    ),
    "protected": (
        account_timelines.sync_author_visibility,
        pages.for_members,
        stream.append,
        tags.reindex_author,
        protection.sync_protection,
    ),
    "unprotected": (
        requests.accept_all_waiting,
        account_timelines.sync_author_visibility,
        pages.for_members,
        tags.reindex_author,
        protection.sync_protection,
    ),
    # Tags, likes and statuses come last: there may be many, and streams need not wait for them.
    "removed": (
        account_timelines.sync_author_visibility,
        pages.for_members,
        stream.append,
        tags.reindex_author,
        likes.purge_deleted_account,
        boosts.purge_deleted_account,
        polls.purge_deleted_account,
        statuses.purge_deleted_account,
        requests.cancel_requests,
        notifications.on_account_removed,
        lists.purge_deleted_account,
    ),
}

# Long projections.
FANOUT: Projections = {
    "posted": (deliver_statuses,),
    "deleted": (retract_statuses,),
    "boosted": (deliver_statuses,),
    "unboosted": (retract_statuses,),
    "followed": (following.sync_followers, pages.for_follows, backfill),
    "unfollowed": (following.sync_followers, pages.for_follows),
    "follower_removed": (following.end_removed_follows,),
    "edited": (accounts.remove_unused_pictures,),
    "poll_ended": (notifications.notify_poll_ended,),
    "removed": (
        account_timelines.purge_deleted_account,
        blocks.purge_deleted_account,
        mutes.purge_deleted_account,
        filters.purge_deleted_account,
        inbox.purge_deleted_account,
        bots.purge_deleted_account,
        webhooks.purge_deleted_account,
        accounts.purge_deleted_account,
    ),
    "chatted": (
        inbox.sync_last_messages,
        webhooks.queue_deliveries,
        chat_notifications.notify_chat_mentions,
    ),
    "chat_members": (inbox.sync_members,),
    "chat_gone": (inbox.sync_members, cleanup.remove_unused_pictures),
    "chat_swept": (cleanup.remove_unused_pictures,),
}

REGISTRY = Registry(
    projections={"log": LOG, "fanout": FANOUT},
    due_jobs=(drafts.publish_due, voting.close_due),
    partition_jobs=(
        sessions.trim,
        timeline_jobs.expire_inactive,
        list_jobs.expire_inactive,
        staging.remove_stale,
    ),
    background_loops=(Deliverer,),
)

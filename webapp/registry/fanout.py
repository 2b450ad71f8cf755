"""The group `fanout`: deliveries to homes, lists and inboxes, which grow with their recipients."""

from collections.abc import Sequence

from webapp.accounts import projections as accounts
from webapp.autocomplete import rank_projections as ranks
from webapp.chat import cleanup
from webapp.chat.bots import projections as bot_projections
from webapp.chat.inbox import last_messages, projections as inbox
from webapp.core.events.outbox import Context, Event, in_steps, together
from webapp.core.events.registry import Projections
from webapp.core.store import Steps
from webapp.explore import open_group_chats
from webapp.explore.suggestions import jobs as suggestions
from webapp.following import projections as following
from webapp.lists import delivery as list_delivery
from webapp.notifications import chats as chat_notifications
from webapp.search.index import projections as search
from webapp.timelines.fanout import deliver as home_fanout
from webapp.timelines.fanout.backfill import backfill
from webapp.timelines.page_invalidation import member_pages

from .comparisons import FANOUT_COMPARISONS


@in_steps
def deliver_statuses(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Deliver statuses and boosts to homes, then to the lists that their authors are on."""
    deliveries = yield from home_fanout.deliver(context, events)
    yield from list_delivery.deliver_statuses(context, deliveries)


@in_steps
def retract_statuses(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Take deleted statuses and boosts out of homes, then out of lists."""
    deliveries = yield from home_fanout.retract(context, events)
    yield from list_delivery.retract_statuses(context, deliveries)


FANOUT: Projections = {
    **FANOUT_COMPARISONS,
    "posted": (deliver_statuses,),
    "deleted": (retract_statuses,),
    "boosted": (deliver_statuses,),
    "unboosted": (retract_statuses,),
    "followed": (
        following.sync_followers,
        together(
            ranks.compare_ranks,
            member_pages.for_follows,
            backfill,
            suggestions.bring_nearer,
            search.index_followed,
        ),
    ),
    "subscribed": (following.sync_subscribers,),
    "unsubscribed": (following.sync_subscribers,),
    "tags_changed": (suggestions.bring_nearer,),
    "unfollowed": (
        following.sync_followers,
        together(ranks.compare_ranks, member_pages.for_follows, search.index_followed),
    ),
    "follower_removed": (following.end_removed_follows, ranks.compare_own_ranks),
    "joined": (search.index_members,),
    "profile_edited": (accounts.remove_unused_pictures, search.index_members),
    "suspended": (search.index_members,),
    "restored": (search.index_members,),
    "account_deleted": (search.index_members,),
    "tokens_revoked": (bot_projections.revoke_tokens,),
    "message_sent": (
        last_messages.sync_last_messages,
        bot_projections.queue_deliveries,
        chat_notifications.notify_chat_mentions,
    ),
    "message_deleted": (
        last_messages.sync_deleted_messages,
        chat_notifications.retract_chat_mentions,
    ),
    "chat_members": (
        inbox.sync_members,
        open_group_chats.sync_open_group_chats,
        chat_notifications.retract_chat_mentions,
    ),
    "chat_changed": (open_group_chats.sync_open_group_chats,),
    "chat_deleted": (
        inbox.sync_members,
        open_group_chats.sync_open_group_chats,
        chat_notifications.retract_chat_mentions,
    ),
    "chat_pictures_removed": (cleanup.remove_unused_pictures,),
}

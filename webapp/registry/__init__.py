"""Register the work of the workers: each event's projections, in order, and the periodic jobs.

With `create_app` this is the one place that knows all rooms.

Events and their fields (`uid` is who acted; `?` marks a field that only some have):

    posted            id author login searchable? mentions? reply_to_uid? ancestors? visibility?
                      mentioned? group? more_groups? quoted_id? quoted_uid? has_items? network?
                      located? flagged?
    imported          as posted, without has_items and network
    deleted           as posted without login and searchable, and: referenced?
    edited            as deleted, without referenced; located if it loses its coordinates;
                      mentioned_before? flagged?
    announced, withdrawn              id author
    pinned, unpinned  uid id
    locations_removed                 uid up_to
    boosted, unboosted                id (of the boost) uid status author network?
    liked, unliked                    uid id author?
    like_checked, boost_checked       as liked, boosted
    follow_checked, block_checked     as followed, blocked
    bookmarked, unbookmarked          uid id
    counted           id author visibility? replies? boosts? quotes? likes?
    voted             uid id author visibility? group?
    poll_ended        id author visibility? group?
    unposted          uid draft saved flagged? scheduled?
    webhook_failed    bot failed
    card_changed      id author visibility?
    quote_detached, quote_reattached  author id quote_id
    followed          uid target followed_at requested?
    unfollowed        uid target
    follower_removed  uid target until
    subscribed, unsubscribed          uid id (of a member)
    requested, unrequested, accepted, refused    uid target
    blocked, unblocked                uid target
    muted, unmuted, boosts_hidden, boosts_shown, tags_changed    uid
    filter_saved, filter_deleted      uid
    reply_hidden, reply_shown         uid
    joined            uid flagged?
    signed_out, tokens_revoked    uid
    signed_in_abroad  uid session country
    suspended, restored, protected, unprotected    uid
    limited, unlimited    uid
    moderated         uid number reports? answered?
    appealed          uid number
    rank_changed, reindex_requested    uid
    profile_edited    uid replaced? search_changed? flagged? former?
    account_deleted   uid login
    list_member_added, list_member_removed    uid list target private?
    list_created, list_changed        uid list private?
    list_deleted      uid list members private?
    message_sent      chat id uid sent_at
    message_deleted   chat id uid
    chat_members      chat uids must_accept added_by? left?
    chat_changed      chat
    chat_deleted      chat uids
    chat_pictures_removed             chat names
    checked_in, boards_chosen         uid
    chain_begun       kind id
    traded            uid entry (of `trades`)
    promotion_changed                 id uid? act? by? why?
    job_posted        uid id day
    group_created     group uids
    group_members     group uids accepted?
    group_invited     group by uids
    group_edited      group replaced?
    group_closed      group slug
"""

from webapp.access_log.reader import move_blocks
from webapp.accounts.sessions import store as sessions
from webapp.archive import files as archive_files
from webapp.archive.worker import DataTasks
from webapp.chat.bots.webhook_worker import WebhookDelivery
from webapp.core.events.registry import Registry
from webapp.core.events.schedule.scheduled import Scheduled
from webapp.core.media import removal
from webapp.explore import open_group_chats
from webapp.explore.suggestions import jobs as suggestions
from webapp.lists import jobs as list_jobs
from webapp.mail.worker import MailSender
from webapp.moderation import projections as moderation
from webapp.notifications.push.worker import PushSender
from webapp.sharing import pictures as link_pictures
from webapp.statuses.attachments import staging
from webapp.statuses.auto_delete import deletion
from webapp.statuses.drafts import publishing
from webapp.statuses.link_cards import worker as link_card_jobs
from webapp.statuses.link_cards.worker import LinkCardMaker
from webapp.statuses.live_counts import changes as live_counts
from webapp.statuses.polls import voting
from webapp.timelines.home import stored_home as timeline_jobs, weekly_digest
from webapp.timelines.trends import counting as trends

from .bulk import BULK, BULK_AT_LAST
from .discovery import DISCOVERY
from .fanout import FANOUT
from .log import LOG
from .optional_rooms import with_features
from .upgrades import UpgradeLoop

SITE = Registry(
    projections={"log": LOG, "fanout": FANOUT, "discovery": DISCOVERY},
    bulk=BULK,
    due_jobs=(publishing.publish_due, voting.close_due, live_counts.emit_due),
    partition_jobs=(
        sessions.trim,
        timeline_jobs.expire_inactive,
        list_jobs.expire_inactive,
        staging.remove_stale,
        removal.remove_interrupted,
        link_card_jobs.remove_expired_pictures,
        link_pictures.remove_old,
        suggestions.compute_due,
        weekly_digest.queue_due,
        deletion.delete_due,
        archive_files.remove_old,
        moderation.delete_suspended,
    ),
    scheduled=(
        Scheduled("trends", 60, trends.rank_now),
        Scheduled("open groups", 60, open_group_chats.rank),
        Scheduled("access log", 5, move_blocks),
    ),
    background_loops=(
        WebhookDelivery,
        LinkCardMaker,
        PushSender,
        MailSender,
        DataTasks,
        UpgradeLoop,
    ),
)
REGISTRY = with_features(SITE).merge(Registry({}, BULK_AT_LAST))

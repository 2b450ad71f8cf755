"""The blueprints of all rooms, in the order in which the app registers them."""

from .about.views import bp as about
from .accounts.email.digest_views import bp as digest
from .accounts.email.login_views import bp as email_login
from .accounts.email.reset_views import bp as password_reset
from .accounts.email.views import bp as email
from .accounts.factors.passkey_views import bp as passkeys
from .accounts.factors.recovery_views import bp as recovery
from .accounts.factors.views import bp as second_step
from .accounts.invitations.views import bp as invitations
from .accounts.renaming.views import bp as username
from .accounts.sessions.views import bp as sessions
from .accounts.settings.display_views import bp as preferences
from .accounts.settings.views import bp as settings_pages
from .accounts.tokens.views import apps_bp as apps, bp as tokens
from .accounts.views import bp as accounts
from .admin.directory.views import bp as directory
from .admin.invitations.views import bp as admin_invitations
from .admin.settings.icon_views import bp as icon
from .admin.settings.views import bp as live_settings
from .admin.setup.views import bp as setup
from .admin.views import bp as admin, security_bp as security_log
from .archive.views import bp as archive
from .autocomplete.views import bp as autocomplete
from .chat.api.fetch_views import bp as chat_api_fetch
from .chat.api.member_views import bp as chat_api_members
from .chat.api.message_views import bp as chat_api_messages
from .chat.api.views import bp as chat_api
from .chat.bots.views import bp as bots
from .chat.inbox.views import bp as chat_inbox
from .chat.members.settings_views import bp as chat_settings
from .chat.members.views import bp as chat_members
from .chat.messages import template_filters as chat_filters
from .chat.page.invitation_views import bp as chat_invitations
from .chat.page.message_actions import bp as chat_messages
from .chat.reports.views import bp as chat_reports
from .chat.search.views import bp as chat_search
from .chat.views import bp as chats
from .client_api import endpoints as client_api
from .client_api.oauth.token_views import bp as oauth_tokens
from .client_api.oauth.views import bp as oauth
from .core.media.views import bp as media
from .core.web import health
from .explore.onboarding.views import bp as onboarding
from .explore.suggestions.views import bp as suggestions
from .explore.views import bp as explore
from .following.notes.views import bp as notes
from .following.relation_views import (
    blocks_bp,
    endorsements_bp,
    hidden_boosts_bp,
    mutes_bp,
    subscriptions_bp,
)
from .following.requests.views import bp as follow_requests
from .following.views import bp as following
from .lists.pins.views import bp as list_pins
from .lists.views import bp as lists
from .moderation.bans.views import bp as bans
from .moderation.member_views import bp as standing
from .moderation.views import bp as moderation
from .notifications import views as notifications
from .notifications.push.views import bp as push
from .reports.views import bp as reports
from .search.views import bp as search
from .sharing.offline_views import bp as offline
from .sharing.sitemap_views import bp as sitemaps
from .sharing.views import bp as sharing
from .statuses.attachments.views import bp as attachments
from .statuses.auto_delete.views import bp as auto_delete
from .statuses.drafts.views import bp as drafts
from .statuses.edits.views import bp as edits
from .statuses.filters.views import bp as filters
from .statuses.folders.views import bp as folders
from .statuses.interactions.join_views import bp as join
from .statuses.interactions.views import bp as interactions
from .statuses.polls.views import bp as polls
from .statuses.post_menu.views import bp as post_menu
from .statuses.quotes.views import bp as quotes
from .statuses.reading_history.views import bp as reading_history
from .statuses.threads.views import bp as threads
from .statuses.view_counts.views import bp as view_counts
from .statuses.views import bp as statuses
from .streaming.api_v1.views import bp as streaming_api
from .timelines.feeds import bp as feeds
from .timelines.home.settings_views import bp as home_settings
from .timelines.profile_tabs.views import bp as profile_tabs
from .timelines.tags.views import bp as tags
from .timelines.views import bp as timelines

BLUEPRINTS = (
    *(health.bp, media, preferences, about),
    *(accounts, second_step, passkeys, recovery, sessions, settings_pages, username),
    *(tokens, apps),
    *(email, email_login, password_reset, digest),
    *(following, follow_requests, notes),
    *(blocks_bp, mutes_bp, hidden_boosts_bp, subscriptions_bp, endorsements_bp),
    *(statuses, threads, view_counts, reading_history, post_menu, attachments, interactions, join),
    *(polls, quotes, drafts, edits, filters, folders, auto_delete),
    *(reports, autocomplete),
    *(timelines, home_settings, profile_tabs, tags, feeds, sharing, sitemaps, offline, lists),
    list_pins,
    *(suggestions, onboarding),
    *(chats, chat_messages, chat_members, chat_invitations, chat_settings, chat_inbox),
    *(chat_reports, chat_search, chat_filters.bp, bots),
    *(chat_api, chat_api_messages, chat_api_members, chat_api_fetch),
    explore,
    *(moderation, bans, standing),
    *(notifications.bp, push, streaming_api, search, admin, live_settings),
    *(setup, icon, security_log, directory, admin_invitations, invitations, archive),
    *(oauth, oauth_tokens, *client_api.BLUEPRINTS),
)

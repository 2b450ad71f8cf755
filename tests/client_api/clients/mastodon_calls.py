"""How every method of Mastodon.py is called, or why it is not: a table by the method's name."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from PIL import Image

from tests.conftest import PASSWORD

DUE = datetime.now(UTC) + timedelta(hours=3)
HOME = ["home"]


@dataclass
class Stage:
    """The clients of ann and ben, and what calls are about."""

    ann: Any
    ben: Any

    def __post_init__(self) -> None:
        self.me, self.other = self.ann.me(), self.ben.me()
        self.own = self.ann.status_post("Hello @ben #birds")
        self.status = self.ben.status_post("A swift")
        self.ben.account_follow(self.me)

    def poll(self) -> Any:
        options = self.ben.make_poll(["yes", "no"], 3600)
        return self.ben.status_post("?", poll=options).poll

    def picture(self) -> Any:
        return self.ann.media_post(png(), "image/png", description="red", focus=(0.2, -0.4))

    def list(self) -> Any:
        made = self.ann.list_create(f"Birds {len(self.ann.lists())}")
        self.ann.list_accounts_add(made, [self.other])
        return made

    def filter(self) -> Any:
        words = [{"keyword": "gull", "whole_word": True}, {"keyword": "tern"}]
        return self.ann.create_filter_v2("sea", HOME, "warn", keywords_attributes=words)

    def filtered(self) -> Any:
        return self.ann.add_filter_status_v2(self.filter(), self.own)

    def phrase(self) -> Any:
        return self.ann.filter_create("gull", HOME)

    def notice(self) -> Any:
        return self.ann.notifications(types=["follow"])[0]

    def scheduled(self) -> Any:
        return self.ann.status_post("later", scheduled_at=DUE)

    def request(self) -> None:
        """Let ben ask to follow ann, who is protected from now on."""
        self.ben.account_unfollow(self.me)
        self.ann.account_update_credentials(locked=True)
        self.ben.account_follow(self.me)


def png() -> bytes:
    """Return a picture."""
    file = io.BytesIO()
    Image.new("RGB", (300, 200), "red").save(file, "PNG")
    return file.getvalue()


Call = Callable[[Stage], Any]
ALONE = """
    timeline timeline_home timeline_public timeline_local bookmarks favourites notifications mutes
    blocks follow_requests lists followed_tags custom_emojis preferences filters filters_v2
    instance instance_v1 instance_v2 instance_peers instance_rules instance_nodeinfo conversations
    domain_blocks suggestions suggestions_v2 trending_tags trending_statuses trending_links
    announcements app_verify_credentials featured_tags endorsements scheduled_statuses
    notifications_unread_count instance_translation_languages notification_requests
    account_verify_credentials me account_delete_avatar account_delete_header markers_get
    notifications_clear oauth_authorization_server_info retrieve_mastodon_version
    timeline_is_available featured_tag_suggestions
""".split()
OF_STATUS = """
    status status_context status_favourite status_unfavourite status_reblog status_unreblog
    status_bookmark status_unbookmark status_favourited_by status_reblogged_by status_source
    status_history status_mute status_unmute
""".split()
OF_OWN = "status_pin status_unpin status_delete".split()
OF_MEMBER = """
    account account_statuses account_following account_followers account_follow account_mute
    account_unmute account_block account_unblock account_unfollow account_lists
    account_featured_tags account_familiar_followers account_relationships
    account_remove_from_followers
""".split()
OF_FOLLOWED = "account_endorse account_unendorse account_pin account_unpin".split()
OF_TAG = """
    tag tag_follow tag_unfollow tag_feature tag_unfeature featured_tag_create timeline_hashtag toot
    search search_v2 account_search
""".split()
CALLS: dict[str, Call] = {
    "featured_tag_delete": lambda s: s.ann.featured_tag_delete(s.ann.featured_tag_create("birds")),
    "account_lookup": lambda s: s.ann.account_lookup("ben"),
    "account_note_set": lambda s: s.ann.account_note_set(s.other, "hm"),
    "account_update_credentials": lambda s: s.ann.account_update_credentials(
        display_name="Ann B", note="hi", avatar=png(), avatar_mime_type="image/png"
    ),
    "add_filter_keyword_v2": lambda s: s.ann.add_filter_keyword_v2(s.filter(), "auk"),
    "add_filter_status_v2": Stage.filtered,
    "create_filter_v2": Stage.filter,
    "delete_filter_status_v2": lambda s: s.ann.delete_filter_status_v2(s.filtered()),
    "filter_status_v2": lambda s: s.ann.filter_status_v2(s.filtered()),
    "filter_statuses_v2": lambda s: s.ann.filter_statuses_v2(s.filter()),
    "delete_filter_keyword_v2": lambda s: s.ann.delete_filter_keyword_v2(s.filter().keywords[0]),
    "delete_filter_v2": lambda s: s.ann.delete_filter_v2(s.filter()),
    "domain_block": lambda s: s.ann.domain_block("x.example"),
    "domain_unblock": lambda s: s.ann.domain_unblock("x.example"),
    "fetch_next": lambda s: s.ann.fetch_next(s.ann.timeline_home(limit=1)),
    "fetch_previous": lambda s: s.ann.fetch_previous(s.ann.timeline_home(limit=1)),
    "fetch_remaining": lambda s: s.ann.fetch_remaining(s.ann.timeline_home(limit=1)),
    "pagination_iterator": lambda s: list(s.ann.pagination_iterator(s.ann.timeline_home(limit=1))),
    "pagination_page_iterator": lambda s: list(
        s.ann.pagination_page_iterator(s.ann.timeline_home(limit=1))
    ),
    "filter": lambda s: s.ann.filter(s.phrase()),
    "filter_create": Stage.phrase,
    "filter_delete": lambda s: s.ann.filter_delete(s.phrase()),
    "filter_keywords_v2": lambda s: s.ann.filter_keywords_v2(s.filter()),
    "filter_update": lambda s: s.ann.filter_update(s.phrase(), "tern", HOME),
    "filter_v2": lambda s: s.ann.filter_v2(s.filter()),
    "filters_apply": lambda s: s.ann.filters_apply([s.own], s.ann.filters(), "home"),
    "follow_request_authorize": lambda s: (s.request(), s.ann.follow_request_authorize(s.other)),
    "follow_request_reject": lambda s: (s.request(), s.ann.follow_request_reject(s.other)),
    "list": lambda s: s.ann.list(s.list()),
    "list_accounts": lambda s: s.ann.list_accounts(s.list()),
    "list_accounts_add": lambda s: s.ann.list_accounts_add(s.list(), [s.other]),
    "list_accounts_delete": lambda s: s.ann.list_accounts_delete(s.list(), [s.other]),
    "list_create": Stage.list,
    "list_delete": lambda s: s.ann.list_delete(s.list()),
    "list_update": lambda s: s.ann.list_update(s.list(), "Others", "none", True),
    "timeline_list": lambda s: s.ann.timeline_list(s.list()),
    "markers_set": lambda s: s.ann.markers_set(HOME, [s.own.id]),
    "media": lambda s: s.ann.media(s.picture()),
    "media_post": Stage.picture,
    "media_update": lambda s: s.ann.media_update(s.picture(), "very red", (0, 1)),
    "notifications_dismiss": lambda s: s.ann.notifications_dismiss(s.notice()),
    "poll": lambda s: s.ann.poll(s.poll()),
    "poll_vote": lambda s: s.ann.poll_vote(s.poll(), [1]),
    "report": lambda s: s.ann.report(s.other, [s.status], "spam", category="spam"),
    "scheduled_status": lambda s: s.ann.scheduled_status(s.scheduled()),
    "scheduled_status_delete": lambda s: s.ann.scheduled_status_delete(s.scheduled()),
    "scheduled_status_update": lambda s: s.ann.scheduled_status_update(s.scheduled(), DUE),
    "status_post": lambda s: s.ann.status_post(
        "a colour", media_ids=[s.picture()], spoiler_text="colour", visibility="private"
    ),
    "status_reply": lambda s: s.ann.status_reply(s.status, "yes", untag=True),
    "status_update": lambda s: s.ann.status_update(s.own, "Bye", spoiler_text="birds"),
    "update_filter_v2": lambda s: s.ann.update_filter_v2(s.filter(), filter_action="hide"),
    "create_account": lambda s: s.ann.create_account("newcomer", PASSWORD, "n@x.example", True),
}
CALLS |= {name: lambda s, name=name: getattr(s.ann, name)() for name in ALONE}
CALLS |= {name: lambda s, name=name: getattr(s.ann, name)(s.status) for name in OF_STATUS}
CALLS |= {name: lambda s, name=name: getattr(s.ann, name)(s.own) for name in OF_OWN}
CALLS |= {name: lambda s, name=name: getattr(s.ann, name)(s.other) for name in OF_MEMBER}
CALLS |= {
    name: lambda s, name=name: [s.ann.account_follow(s.other), getattr(s.ann, name)(s.other)]
    for name in OF_FOLLOWED
}
CALLS |= {name: lambda s, name=name: getattr(s.ann, name)("birds") for name in OF_TAG}
# Of versions after the one that the site names, or not there yet: read without an error, or 404.
LATER: dict[str, Call] = {
    "announcement_dismiss": lambda s: [
        s.ann.announcement_dismiss(one) for one in s.ann.announcements()
    ],
    "conversations_read": lambda s: [
        s.ann.conversations_read(one) for one in s.ann.conversations()
    ],
    "directory": lambda s: s.ann.directory(),
    "dismiss_grouped_notification": lambda s: s.ann.dismiss_grouped_notification(
        s.notice().group_key
    ),
    "grouped_notification": lambda s: s.ann.grouped_notification(s.notice().group_key),
    "grouped_notification_accounts": lambda s: s.ann.grouped_notification_accounts(
        s.notice().group_key
    ),
    "grouped_notifications": lambda s: s.ann.grouped_notifications(),
    "unread_grouped_notifications_count": lambda s: s.ann.unread_grouped_notifications_count(),
    "notifications_merged": lambda s: s.ann.notifications_merged(),
    "notifications_policy": lambda s: s.ann.notifications_policy(),
    "update_notifications_policy": lambda s: s.ann.update_notifications_policy(
        for_not_following="accept"
    ),
    "push_subscription": lambda s: s.ann.push_subscription(),
    "push_subscription_delete": lambda s: s.ann.push_subscription_delete(),
    "push_subscription_update": lambda s: s.ann.push_subscription_update(follow_events=True),
    "statuses": lambda s: s.ann.statuses([s.own, s.status]),
    "accounts": lambda s: s.ann.accounts([s.me, s.other]),
    "status_quotes": lambda s: s.ann.status_quotes(s.own),
    "status_update_quote_approval_policy": lambda s: s.ann.status_update_quote_approval_policy(
        s.own, "nobody"
    ),
    "suggestion_delete": lambda s: s.ann.suggestion_delete(s.other),
    "suggestions_v1": lambda s: s.ann.suggestions_v1(),
    "timeline_link": lambda s: s.ann.timeline_link("https://example.org/"),
    "trends": lambda s: s.ann.trends(),
    "instance_extended_description": lambda s: s.ann.instance_extended_description(),
    "instance_languages": lambda s: s.ann.instance_languages(),
    "instance_terms_of_service": lambda s: s.ann.instance_terms_of_service(),
}
UNCALLED = {
    "asks the site for nothing": """
        auth_request_url clear_caches decode_blurhash generate_media_edit_attributes make_poll
        get_approx_server_time get_pagination_info get_status_length get_supported_version
        persistable_login_credentials set_language verify_minimum_version get_async_refresh_info
        push_subscription_generate_keys push_subscription_decrypt_push
    """,
    "is called to make the clients, or ends their tokens": """
        create_app log_in revoke_access_token
    """,
    "streams and pushes have tests of their own": """
        stream_direct stream_hashtag stream_healthy stream_list stream_local
        stream_open_websocket stream_public stream_user stream_user_notifications
        push_subscription_set
    """,
    "the site has none of these": """
        account_collections account_in_collections announcement_reaction_create
        announcement_reaction_delete annual_report annual_report_generate annual_report_read
        annual_report_state annual_reports await_async_refresh get_async_refresh_status
        collection collection_create collection_delete collection_item_add collection_item_delete
        collection_item_revoke collection_update email_resend_confirmation
        notification_request accept_notification_request
        accept_multiple_notification_requests dismiss_notification_request
        dismiss_multiple_notification_requests instance_activity instance_domain_blocks
        instance_health profile profile_update reports
        status_translate status_quote_revoke
    """,
    "wants https, and has a test in test_oauth.py": "oauth_userinfo",
    "is of versions before 3": "follows search_v1 status_card",
}


def why_uncalled() -> dict[str, str]:
    """Return why a method is not called, by its name. Those for operators are left out."""
    return {name: reason for reason, names in UNCALLED.items() for name in names.split()}

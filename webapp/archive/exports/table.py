"""The files of an archive, one line each.

A private key of members is either exported here, or named in LEFT_OUT with the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import lazy_gettext as _l

from webapp.accounts import keys as account_keys
from webapp.core.store import created_at
from webapp.core.store.schema import MemberKey
from webapp.following import keys as following_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.reading_history import keys as viewed_keys

from . import communities, own_things as own
from .sources import Reader, people, posts_of_others, raw, time_of_ms, time_of_us, whole
from .writings import read_messages, read_posts


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the archive. `title`: a lazy sentence. `nouns`: of the private keys in it."""

    file: str
    title: object
    read: Reader
    nouns: Sequence[str] = ()


def _raw(noun: str, title: object, file: str = "") -> Source:
    return Source(file or noun, title, raw(noun), (noun,))


def _marked_posts(key: MemberKey) -> Reader:
    return posts_of_others(key, lambda entry, _: int(entry), lambda _, at: time_of_ms(at))


SOURCES = (
    Source("profile", _l("Profile"), whole(own.read_profile)),
    Source("settings", _l("Settings"), whole(own.read_settings)),
    Source("email", _l("Email address"), whole(own.read_email), ("email",)),
    Source("posts", _l("Posts and replies"), read_posts),
    Source(
        "boosts",
        _l("Boosts"),
        posts_of_others(
            interaction_keys.member_boosts,
            lambda entry, _: int(entry.partition(":")[0]),
            lambda _, boost: created_at(boost).isoformat(timespec="seconds"),
        ),
    ),
    Source("likes", _l("Likes"), _marked_posts(interaction_keys.member_likes)),
    Source("bookmarks", _l("Bookmarks"), _marked_posts(interaction_keys.bookmarks)),
    Source("bookmark_folders", _l("Bookmark folders"), whole(own.read_folders), ("folders",)),
    Source("viewed", _l("Seen lately"), _marked_posts(viewed_keys.viewed), ("viewed",)),
    Source("drafts", _l("Drafts and scheduled posts"), whole(own.read_drafts)),
    Source("votes", _l("Votes"), whole(communities.read_votes)),
    Source("messages", _l("Messages you sent"), read_messages),
    Source("following", _l("Following"), people(following_keys.following, time_of_us)),
    Source("followers", _l("Followers"), people(following_keys.followers, time_of_us)),
    Source("requests", _l("Follow requests you sent"), people(following_keys.sent_follow_requests)),
    Source("blocks", _l("Blocked members"), people(following_keys.blocks)),
    Source("mutes", _l("Muted members"), own.read_mutes, ("mutes", "muted_notifications")),
    Source(
        "hidden_boosts",
        _l("Hidden boosts"),
        people(following_keys.hidden_boosts),
        ("hidden_boosts",),
    ),
    Source(
        "subscriptions",
        _l("Members whose posts notify you"),
        people(following_keys.subscriptions),
        ("subscriptions",),
    ),
    Source(
        "endorsements",
        _l("People on your profile"),
        people(following_keys.endorsements),
        ("endorsements",),
    ),
    Source(
        "invited", _l("Members you invited"), people(account_keys.invited_members), ("invited",)
    ),
    Source("notes", _l("Notes about members"), whole(own.read_notes), ("notes",)),
    Source("lists", _l("Lists"), own.read_lists),
    Source("groups", _l("Groups"), whole(communities.read_groups)),
    Source("job_offers", _l("My job offers"), whole(communities.read_job_offers)),
    Source("position", _l("Your place on Nearby"), whole(communities.read_position)),
    Source("skills", _l("My skills"), whole(communities.read_skills)),
    Source("filters", _l("Filters"), whole(own.read_filters), ("filters",)),
    _raw("tags", _l("Followed hashtags"), "followed_hashtags"),
    _raw("featured_tags", _l("Hashtags on your profile"), "featured_hashtags"),
    _raw("saved_searches", _l("Saved searches")),
    _raw("auto_delete", _l("Deletion of old posts")),
    _raw("home_tabs", _l("Lists pinned to Home"), "pinned_lists"),
    _raw("markers", _l("How far you’ve read"), "reading_positions"),
    _raw("read_conversations", _l("How far you’ve read private mentions")),
    _raw("muted_conversations", _l("Muted conversations")),
    _raw("hidden_replies", _l("Hidden replies")),
    _raw("hidden_trends", _l("Hidden trends")),
    _raw("check_in", _l("Check-ins")),
    Source("check_in_days", _l("Days you checked in"), whole(communities.read_check_in_days)),
    _raw("ledger", _l("Points"), "points"),
    _raw("earned", _l("Scores on the boards"), "board_scores"),
    _raw("security_log", _l("What happened to your account")),
    Source("items", _l("Things you got"), whole(own.read_items)),
    Source("orders", _l("Orders"), whole(communities.read_orders)),
    _raw("trades", _l("Your trades")),
    _raw("cart", _l("Cart")),
    Source("promoted", _l("Promoted posts"), whole(communities.read_promotions)),
    _raw("promotion_choices", _l("Promoted posts that you hid")),
)

LEFT_OUT = {
    "authenticator": "a secret",
    "recovery_codes": "secrets",
    "passkeys": "public keys, which are of use to this site alone",
    "own_invites": "links, which expire within a week",
    "acts": "of moderators, who told the member of each",
    "told_acts": "an index of the acts of moderators",
    "answered_reports": "an index of the reports that were dealt with",
    "data_tasks": "about the archive itself",
    "dismissed_suggestions": "a Bloom filter, which cannot be listed",
    "seen_posts": "a Bloom filter, which cannot be listed",
    "recently_shown": "kept for some minutes",
    "suggestions": "computed from follows, and replaced each day",
    "group_invited": "an index of invitations that wait, which their groups hold",
    "post_subscribers": "what others chose in private",
    "private_mentions": "an index: the member's own are among their posts, others' belong to them",
    "trend_index": "an index of the member's shares, which are in their posts and boosts",
    "ledger_done": "an index of the points",
    "first_piece": "the points say so too",
    "picture_bytes": "how large the pictures are, which are in the archive",
}

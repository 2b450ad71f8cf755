"""The kinds of notifications. A kind is a line here, and a function in a module of projections."""

from flask_babel import lazy_gettext as _l
from flask_babel import lazy_pgettext as _lp

from .kind import GATHERED, Kind, own

KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            name="mention",
            icon="at",
            tab="mentions",
            sentence=_l("%(who)s mentioned you"),
            label=_lp("notification", "Mentions"),
            anonymous=_l("Someone mentioned you"),
            client_type="mention",
        ),
        Kind(
            name="reply",
            icon="reply",
            tab="mentions",
            sentence=_l("%(who)s replied to you"),
            label=_lp("notification", "Replies"),
            anonymous=_l("Someone replied to you"),
            client_type="mention",
        ),
        Kind(
            name="quote",
            icon="quote",
            tab="mentions",
            sentence=_l("%(who)s quoted you"),
            label=_lp("notification", "Quotes"),
            anonymous=_l("Someone quoted you"),
            client_type="quote",
        ),
        Kind(
            name="chat",
            icon="chat",
            tab="mentions",
            sentence=_l("%(who)s mentioned you in a chat"),
            label=_lp("notification", "Mentions in chats"),
            anonymous=_l("Someone mentioned you in a chat"),
        ),
        Kind(
            name="post",
            icon="bell",
            tab="all",
            sentence=_l("%(who)s posted"),
            label=_lp("notification", "New posts you asked for"),
            anonymous=_l("Someone you follow posted"),
            client_type="status",
        ),
        Kind(
            name="like",
            icon="like",
            tab="likes",
            sentence=_l("%(who)s liked your post"),
            label=_lp("notification", "Likes"),
            anonymous=_l("Someone liked your post"),
            lane=GATHERED,
            about_own_status=True,
            client_type="favourite",
        ),
        Kind(
            name="boost",
            icon="boost",
            tab="boosts",
            sentence=_l("%(who)s boosted your post"),
            label=_lp("notification", "Boosts"),
            anonymous=_l("Someone boosted your post"),
            lane=GATHERED,
            about_own_status=True,
            client_type="reblog",
        ),
        Kind(
            name="request",
            icon="lock",
            tab="follows",
            sentence=_l("%(who)s asked to follow you"),
            label=_lp("notification", "Follow requests"),
            anonymous=_l("Someone asked to follow you"),
            client_type="follow_request",
            path="/requests",
        ),
        Kind(
            name="follow",
            icon="person",
            tab="follows",
            sentence=_l("%(who)s followed you"),
            label=_lp("notification", "New followers"),
            anonymous=_l("Someone followed you"),
            lane=GATHERED,
            client_type="follow",
        ),
        Kind(
            name="invited",
            icon="people",
            tab="all",
            sentence=_l("%(who)s invited you to a group"),
            label=_lp("notification", "Invitations to groups"),
            anonymous=_l("Someone invited you to a group"),
            about_group=True,
            feature="groups",
        ),
        Kind(
            name="poll",
            icon="poll",
            tab="all",
            sentence=_l("A poll by %(who)s has ended"),
            label=_lp("notification", "Polls that end"),
            anonymous=_l("A poll has ended"),
            lane=GATHERED,
            notifies_actor=True,
            client_type="poll",
        ),
        own(
            "unposted",
            "clock",
            "draft",
            _l("A scheduled post couldn’t be posted"),
            _lp("notification", "Scheduled posts that couldn’t be posted"),
        ),
        own(
            "undelivered",
            "alert",
            "webhook",
            _l("Messages couldn’t be delivered to your bot"),
            _lp("notification", "Messages that couldn’t be delivered to your bots"),
        ),
        own(
            "moderated",
            "alert",
            "act",
            _l("The moderators made a decision about your account"),
            _lp("notification", "Decisions about your account"),
        ),
        own(
            "report_answered",
            "check",
            "report",
            _l("The moderators looked at something you reported"),
            _lp("notification", "Answers to your reports"),
            lane=GATHERED,
        ),
        own(
            "abroad",
            "lock",
            "session",
            _l("New login to your account from another country"),
            _lp("notification", "Logins from new countries"),
        ),
        own(
            "trade",
            "cart",
            "item",
            _l("News from the market"),
            _lp("notification", "Your sales, purchases, bids and offers"),
            feature="market",
        ),
        own(
            "group_accepted",
            "people",
            "membership",
            _l("Your request to join a group was accepted"),
            _lp("notification", "Groups that you asked to join"),
            feature="groups",
        ),
        own(
            "promotion",
            "promote",
            "promotion",
            _l("News of a post you promoted"),
            _lp("notification", "Reviews and ends of your promotions"),
            feature="promotions",
        ),
        own(
            "job",
            "folder",
            "day",
            _l("A new job offer fits your skills"),
            _lp("notification", "New job offers that fit your skills"),
            lane=GATHERED,
            feature="jobs",
            path="/jobs/mine",
        ),
    )
}
CLIENT_TYPES = {kind.name: kind.client_type for kind in KINDS.values() if kind.client_type}
TABS = {
    "all": _l("All"),
    "mentions": _l("Mentions"),
    "likes": _l("Likes"),
    "boosts": _l("Boosts"),
    "follows": _l("Follows"),
}


def kinds_in_tab(tab: str) -> frozenset[str]:
    """Return the names of the kinds that a tab shows."""
    return frozenset(name for name, kind in KINDS.items() if tab in ("all", kind.tab))

"""Kinds of notifications. A kind is a line here, and a function in a module of projections."""

from dataclasses import dataclass, replace

from flask_babel import lazy_gettext as _l
from flask_babel import lazy_pgettext as _lp
from flask_babel.speaklater import LazyString

EVERYONE, FOLLOWED, NOBODY = "everyone", "followed", "nobody"
# Devices get kinds that may need an answer within seconds, and the rest a few times an hour.
PROMPT, GATHERED = "prompt", "gathered"
CHOICES = {
    EVERYONE: _l("Everyone"),
    FOLLOWED: _l("People I follow"),
    NOBODY: _l("No one"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of notification.

    `name` is how it is stored, `icon` a name in the sprite, `tab` where the list shows it.
    `sentence` says what %(who)s did, `anonymous` the same without a name, for a locked screen;
    `label` names it in the preferences. `about_own_status`: it is about a status of the recipient,
    not of the actor. `notifies_actor`: the actor is notified too. `about_own`: it is about a
    "draft", "webhook", "act", "report", "session", "item", "promotion", "membership" or "day" of
    the recipient, and names nobody else. `lane`: how soon devices get it. `about_group`: it is
    about a group of members.
    """

    name: str
    icon: str
    tab: str
    sentence: LazyString
    label: LazyString
    anonymous: LazyString
    about_own_status: bool = False
    notifies_actor: bool = False
    about_own: str = ""
    about_group: bool = False
    lane: str = PROMPT


def _own(
    name: str, icon: str, about: str, sentence: LazyString, label: LazyString, lane: str = PROMPT
) -> Kind:
    """Return a kind about something of the recipient, which names nobody else."""
    given = Kind(name, icon, "all", sentence, label, anonymous=sentence, lane=lane)
    is_group = about == "membership"
    return replace(given, notifies_actor=True, about_own=about, about_group=is_group)


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
        ),
        Kind(
            name="reply",
            icon="reply",
            tab="mentions",
            sentence=_l("%(who)s replied to you"),
            label=_lp("notification", "Replies"),
            anonymous=_l("Someone replied to you"),
        ),
        Kind(
            name="quote",
            icon="quote",
            tab="mentions",
            sentence=_l("%(who)s quoted you"),
            label=_lp("notification", "Quotes"),
            anonymous=_l("Someone quoted you"),
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
        ),
        Kind(
            name="request",
            icon="lock",
            tab="follows",
            sentence=_l("%(who)s asked to follow you"),
            label=_lp("notification", "Follow requests"),
            anonymous=_l("Someone asked to follow you"),
        ),
        Kind(
            name="follow",
            icon="person",
            tab="follows",
            sentence=_l("%(who)s followed you"),
            label=_lp("notification", "New followers"),
            anonymous=_l("Someone followed you"),
            lane=GATHERED,
        ),
        Kind(
            name="invited",
            icon="people",
            tab="all",
            sentence=_l("%(who)s invited you to a group"),
            label=_lp("notification", "Invitations to groups"),
            anonymous=_l("Someone invited you to a group"),
            about_group=True,
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
        ),
        _own(
            "unposted",
            "clock",
            "draft",
            _l("A scheduled post couldn’t be posted"),
            _lp("notification", "Scheduled posts that couldn’t be posted"),
        ),
        _own(
            "undelivered",
            "alert",
            "webhook",
            _l("Messages couldn’t be delivered to your bot"),
            _lp("notification", "Messages that couldn’t be delivered to your bots"),
        ),
        _own(
            "moderated",
            "alert",
            "act",
            _l("The moderators made a decision about your account"),
            _lp("notification", "Decisions about your account"),
        ),
        _own(
            "report_answered",
            "check",
            "report",
            _l("The moderators looked at something you reported"),
            _lp("notification", "Answers to your reports"),
            lane=GATHERED,
        ),
        _own(
            "abroad",
            "lock",
            "session",
            _l("New login to your account from another country"),
            _lp("notification", "Logins from new countries"),
        ),
        _own(
            "trade",
            "cart",
            "item",
            _l("News from the market"),
            _lp("notification", "Your sales, purchases, bids and offers"),
        ),
        _own(
            "group_accepted",
            "people",
            "membership",
            _l("Your request to join a group was accepted"),
            _lp("notification", "Groups that you asked to join"),
        ),
        _own(
            "promotion",
            "promote",
            "promotion",
            _l("News of a post you promoted"),
            _lp("notification", "Reviews and ends of your promotions"),
        ),
        _own(
            "job",
            "folder",
            "day",
            _l("A new job offer fits your skills"),
            _lp("notification", "New job offers that fit your skills"),
            lane=GATHERED,
        ),
    )
}
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

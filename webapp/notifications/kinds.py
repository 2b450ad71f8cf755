"""What members are told of. A kind is a line here, and a function in projections.py that says whom it tells."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

EVERYONE, FOLLOWED, NOBODY = "everyone", "followed", "nobody"
CHOICES = {
    EVERYONE: _l("From everyone"),
    FOLLOWED: _l("From people I follow"),
    NOBODY: _l("From nobody"),
}


@dataclass(frozen=True, slots=True)
class Kind:
    """`name`: as it is stored; `icon`: of the sprite; `tab`: the part of the list it stands in; `sentence`: what `who`
    did; `label`: what one chooses to hear of; `own`: it is about a status of who is told, not of who did it; `selfish`:
    who did it is told as well.
    """

    name: str
    icon: str
    tab: str
    sentence: LazyString
    label: LazyString
    about_own_status: bool = False
    notifies_actor: bool = False


_POLL = (
    "poll",
    "poll",
    "all",
    _l("A poll by %(who)s has ended"),
    _l("When a poll ends that I asked or voted in"),
)
_CHAT = (
    *("chat", "chat", "mentions"),
    *(_l("%(who)s mentioned you in a chat"), _l("When somebody mentions me in a chat")),
)
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "mention",
            "at",
            "mentions",
            _l("%(who)s mentioned you"),
            _l("When somebody mentions me"),
        ),
        Kind(
            "reply",
            "reply",
            "mentions",
            _l("%(who)s replied to you"),
            _l("When somebody replies to me"),
        ),
        Kind("quote", "quote", "mentions", _l("%(who)s quoted you"), _l("When somebody quotes me")),
        Kind(*_CHAT),
        Kind(
            "like",
            "like",
            "likes",
            _l("%(who)s liked your post"),
            _l("When somebody likes my posts"),
            about_own_status=True,
        ),
        Kind(
            "boost",
            "boost",
            "boosts",
            _l("%(who)s boosted your post"),
            _l("When somebody boosts my posts"),
            about_own_status=True,
        ),
        Kind(
            "request",
            "lock",
            "follows",
            _l("%(who)s asked to follow you"),
            _l("When somebody asks to follow me"),
        ),
        Kind(
            "follow",
            "person",
            "follows",
            _l("%(who)s followed you"),
            _l("When somebody follows me"),
        ),
        Kind(*_POLL, notifies_actor=True),
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
    """The names of the kinds that a tab shows."""
    return frozenset(name for name, kind in KINDS.items() if tab in ("all", kind.tab))

"""The acts of moderators, one row each: who may do them, their notice to members, their undoing."""

from collections.abc import Collection
from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

MODERATOR, ADMIN = "moderator", "admin"
RANKS = {MODERATOR: 1, ADMIN: 2}


@dataclass(frozen=True, slots=True)
class Act:
    """An act. `lua/includes/effects.lua` has what it does.

    `label` is on its button, `done` in the log. `told`: the sentence for its member, None if they
    are not told. `on`: what it is about, "report", "post", "draft", "member", "note", "role",
    "application" or "promotion". `rank` is needed. `can_undo`: it can be taken back.
    """

    name: str
    label: LazyString
    done: LazyString
    on: str
    told: LazyString | None = None
    can_undo: bool = False
    rank: int = RANKS[MODERATOR]


ACTS = {
    act.name: act
    for act in (
        Act("dismiss", _l("Leave as it is"), _l("dismissed a report about"), "report"),
        Act("publish", _l("Publish"), _l("published a post held for review, by"), "draft"),
        Act(
            "withhold",
            _l("Don’t publish"),
            _l("did not publish a post by"),
            "draft",
            told=_l("A post of yours was not published."),
            can_undo=True,
        ),
        Act("note", _l("Add a note"), _l("wrote a note about"), "note"),
        Act(
            "warn",
            _l("Warn"),
            _l("warned"),
            "member",
            told=_l("You were warned."),
            can_undo=True,
        ),
        Act(
            "cover",
            _l("Hide pictures behind a warning"),
            _l("covered the pictures of a post by"),
            "post",
            told=_l("The pictures of a post of yours are hidden behind a warning."),
            can_undo=True,
        ),
        Act(
            "remove",
            _l("Remove post"),
            _l("removed a post by"),
            "post",
            told=_l("A post of yours was removed."),
        ),
        Act(
            "limit",
            _l("Limit"),
            _l("limited"),
            "member",
            told=_l("You and your posts no longer show in public lists, search and trends."),
            can_undo=True,
        ),
        Act(
            "suspend",
            _l("Suspend"),
            _l("suspended"),
            "member",
            told=_l("Your account is suspended."),
            can_undo=True,
        ),
        Act("accept", _l("Accept"), _l("accepted the sign-up of"), "application"),
        Act("refuse", _l("Refuse"), _l("refused the sign-up of"), "application"),
        Act("accept_promotion", _l("Accept"), _l("accepted a promoted post by"), "promotion"),
        Act("refuse_promotion", _l("Refuse"), _l("refused a promoted post by"), "promotion"),
        Act("promote", _l("Make moderator"), _l("made a moderator of"), "role", rank=2),
        Act("demote", _l("Take role away"), _l("took the role of moderator from"), "role", rank=2),
    )
}


def rank_of(rights: Collection[str]) -> int:
    """Return the rank of a member with these rights: 0, that of a moderator, or of an admin."""
    return max((RANKS.get(right, 0) for right in rights), default=0)

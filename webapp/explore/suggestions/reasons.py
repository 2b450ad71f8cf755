"""Why a member is suggested, and how the store holds it: `uid:reason`."""

from dataclasses import dataclass
from enum import Enum


class Why(Enum):
    """The kinds of reasons, the strongest first. The values are stored."""

    FOLLOWED = "f"  # by somebody whom the viewer follows
    FOLLOWED_TAG = "t"  # posts about a hashtag that the viewer follows
    USED_TAG = "u"  # posts about a hashtag that the viewer uses
    COMMON = "c"  # followed by those who follow the same members
    POPULAR = "p"
    ACTIVE = "a"
    NEW = "n"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested member, and the reason.

    `via`: the uid of the member whom the reason names, 0 for none. `count`: how many followed
    members follow them, with that one. `tag`: the hashtag that the reason names, or "".
    """

    uid: int
    why: Why
    via: int = 0
    count: int = 0
    tag: str = ""


def pack(suggestion: Suggestion) -> str:
    """Return a suggestion as the store holds it."""
    about = suggestion.tag or f"{suggestion.via}.{suggestion.count}"
    return f"{suggestion.uid}:{suggestion.why.value}{about}"


def unpack(text: str) -> Suggestion:
    """Parse a suggestion that `pack` made."""
    uid, _, reason = text.partition(":")
    why, about = Why(reason[0]), reason[1:]
    if why in (Why.FOLLOWED_TAG, Why.USED_TAG):
        return Suggestion(int(uid), why, tag=about)
    via, _, count = about.partition(".")
    return Suggestion(int(uid), why, int(via), int(count))

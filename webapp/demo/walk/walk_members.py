"""The members of the walk, chosen from the community."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from webapp.demo.community import Community

FRIENDS = 5
MEMBERS_MIN = FRIENDS + 8
Preference = tuple[int, ...]  # the larger, the more somebody is preferred


@dataclass(frozen=True, slots=True)
class WalkMember:
    """A member of the walk."""

    uid: int
    login: str
    name: str


@dataclass(frozen=True, slots=True)
class WalkMembers:
    """The members of the walk, all of them different."""

    me: WalkMember  # the featured member
    friends: tuple[WalkMember, ...]  # FRIENDS of them; all follow each other
    chinese: WalkMember  # a friend who writes Chinese
    quiet: WalkMember  # followed by the featured member; protected
    loud: WalkMember  # muted by the featured member, who follows them
    newcomer: WalkMember  # follows the featured member
    stranger: WalkMember  # asks the featured member for a chat
    reserved: WalkMember  # protected; the featured member requests to follow them
    rude: WalkMember  # blocked by the featured member


def choose_members(community: Community, first_uid: int) -> WalkMembers:
    """Choose members: friends among those whom the featured member follows, others elsewhere.

    The community needs MEMBERS_MIN members.
    """
    selection = _Selection(community, first_uid)
    return WalkMembers(
        me=selection.member(community.featured_index),
        quiet=selection.take(selection.suits_as_protected),
        chinese=selection.take(selection.suits_as_chinese_friend),
        friends=tuple(selection.take(selection.suits_as_friend) for _ in range(FRIENDS)),
        loud=selection.take(selection.suits_as_acquaintance),
        newcomer=selection.take(selection.suits_as_stranger),
        stranger=selection.take(selection.suits_as_stranger),
        reserved=selection.take(selection.suits_as_stranger),
        rude=selection.take(selection.suits_as_stranger),
    )


class _Selection:
    """Hands out the members of a community, each once. They are named by place in the list."""

    def __init__(self, community: Community, first_uid: int) -> None:
        me = community.featured_index
        self._people, self._first_uid = community.people, first_uid
        self._protected = community.protected_index
        self._followed = {one.target for one in community.follows if one.follower == me}
        self._followers = {one.follower for one in community.follows if one.target == me}
        self._popularity = Counter(one.target for one in community.follows)
        self._free = [index for index in range(len(self._people)) if index != me]

    def member(self, index: int) -> WalkMember:
        """Return the member at a place in the list."""
        person = self._people[index]
        return WalkMember(self._first_uid + index, person.login, person.name)

    def take(self, preference: Callable[[int], Preference]) -> WalkMember:
        """Take the free member who is preferred most."""
        index = max(self._free, key=preference)
        self._free.remove(index)
        return self.member(index)

    def suits_as_friend(self, index: int) -> Preference:
        """Prefer somebody who writes English, is followed, and has a picture."""
        person = self._people[index]
        return person.languages == ("en",), index in self._followed, person.avatar

    def suits_as_chinese_friend(self, index: int) -> Preference:
        """Prefer somebody who writes Chinese, is followed, and has a picture."""
        person = self._people[index]
        return "zh" in person.languages, index in self._followed, person.avatar

    def suits_as_protected(self, index: int) -> Preference:
        """Prefer the member whom the community has as protected, else an acquaintance."""
        return index == self._protected, *self.suits_as_acquaintance(index)

    def suits_as_acquaintance(self, index: int) -> Preference:
        """Prefer somebody who is followed, and whom few others follow."""
        return index in self._followed, -self._popularity[index]

    def suits_as_stranger(self, index: int) -> Preference:
        """Prefer somebody who neither is followed nor follows, and has a picture."""
        is_distant = index not in self._followed, index not in self._followers
        return *is_distant, self._people[index].avatar, -self._popularity[index]

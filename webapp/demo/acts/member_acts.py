"""Acts about members: joining, following, protecting oneself, lists and hashtags."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.accounts import keys as account_keys, lifecycle, profile
from webapp.accounts.registration import create_account
from webapp.core.store import PARTITIONS
from webapp.following import store as following
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.notifications import store as notifications
from webapp.timelines.home import stored_home as jobs
from webapp.timelines.tags import store as tags

from .act import Act, WaitingAct, World


@dataclass(frozen=True, slots=True)
class Join(Act):
    """Sign up, without a password, and fill in the profile."""

    def perform(self, world: World) -> None:
        person, uid = world.people[self.member], world.uid(self.member)
        create_account(world, uid, person.login, person.name, "")
        world.db.run(("UNLINK", account_keys.password(uid)))  # nobody signs in as them
        about = {
            "bio": person.bio,
            "location": person.place,
            "website": person.website,
            "avatar": world.pictures.get((self.member, "avatar"), ""),
            "header": world.pictures.get((self.member, "header"), ""),
        }
        if changes := {name: value for name, value in about.items() if value}:
            profile.edit(world, uid, changes)


@dataclass(frozen=True, slots=True)
class Follow(Act):
    """Follow the member at the place `target`, or request to."""

    target: int

    def must_wait(self, pending: Sequence[Act]) -> bool:
        """Wait for all but follows of others: a home gets replies between those it follows then."""
        return any(not isinstance(one, Follow) or one.member == self.member for one in pending)

    def perform(self, world: World) -> None:
        uid = world.uid(self.member)
        following.follow(world, uid, world.login(self.target))


@dataclass(frozen=True, slots=True)
class Protect(WaitingAct):
    """Protect the account."""

    def perform(self, world: World) -> None:
        lifecycle.protect(world, world.uid(self.member))


@dataclass(frozen=True, slots=True)
class Answer(WaitingAct):
    """Accept the request of the member at the place `requester`."""

    requester: int

    def perform(self, world: World) -> None:
        login = world.login(self.requester)
        requests.answer(world, world.uid(self.member), login, accepted=True)


@dataclass(frozen=True, slots=True)
class MakeList(Act):
    """Make a list, and put members on it."""

    name: str
    members: tuple[int, ...]
    private: bool = False

    def perform(self, world: World) -> None:
        uid = world.uid(self.member)
        number = lists.create(world, uid, self.name, private=self.private)
        for member in self.members:
            lists.set_memberships(world, uid, world.login(member), {number: True})


@dataclass(frozen=True, slots=True)
class FollowTag(Act):
    """Follow a hashtag."""

    tag: str

    def perform(self, world: World) -> None:
        tags.follow(world, world.uid(self.member), self.tag)


@dataclass(frozen=True, slots=True)
class ReadNotifications(WaitingAct):
    """Mark all notifications as read."""

    def perform(self, world: World) -> None:
        notifications.mark_all(world.db, world.uid(self.member))


@dataclass(frozen=True, slots=True)
class ForgetHomes(WaitingAct):
    """Do the workers' job that drops the homes of those who stayed away. It has no actor."""

    def perform(self, world: World) -> None:
        for partition in range(PARTITIONS):
            jobs.expire_inactive(world, partition)

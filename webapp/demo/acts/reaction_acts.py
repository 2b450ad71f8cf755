"""Acts about posts of others: liking, boosting, voting and bookmarking."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.polls import voting

from .act import Act, World, home_network


@dataclass(frozen=True, slots=True)
class Like(Act):
    """Like a post."""

    number: int

    def perform(self, world: World) -> None:
        likes.like(world.site, world.uid(self.member), world.posts[self.number])


@dataclass(frozen=True, slots=True)
class Boost(Act):
    """Boost a post."""

    number: int

    def perform(self, world: World) -> None:
        uid, status_id = world.uid(self.member), world.posts[self.number]
        boosts.boost(world.site, uid, status_id, home_network(uid))


@dataclass(frozen=True, slots=True)
class Bookmark(Act):
    """Keep a post."""

    number: int

    def perform(self, world: World) -> None:
        uid = world.uid(self.member)
        bookmarks.bookmark(world.site, uid, world.posts[self.number])


@dataclass(frozen=True, slots=True)
class Vote(Act):
    """Vote for options of a post's poll, by index from 0."""

    number: int
    options: tuple[int, ...]

    def perform(self, world: World) -> None:
        uid, status_id = world.uid(self.member), world.posts[self.number]
        voting.vote(world.site, uid, status_id, self.options)

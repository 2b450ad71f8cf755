"""Acts about posts: writing, pinning, drafts, ends of polls, and what others do with them."""

from dataclasses import dataclass
from datetime import datetime

from webapp.core.store import PARTITIONS
from webapp.core.text.parser import parse
from webapp.demo.acts.act import Post
from webapp.demo.pictures.portraits import draw_uploads
from webapp.statuses import Picture, store as statuses
from webapp.statuses.attachments.staging import stage
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import pins
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.polls import voting

from .act import Act, WaitingAct, World, home_network


@dataclass(frozen=True, slots=True)
class Write(Act):
    """Post the plan's post at the place `number`."""

    number: int
    post: Post

    def perform(self, world: World) -> None:
        uid, post = world.uid(self.member), self.post
        options: StatusOptions = {
            "cw": post.warning,
            "pictures": self._pictures(world),
            "network": home_network(uid),
        }
        if post.reply_to is not None:
            options["reply"] = world.posts[post.reply_to]
        if post.quote is not None:
            options["quote"] = world.posts[post.quote]
        if post.poll:
            options["poll"] = post.poll
        world.posts[self.number] = statuses.post(
            world,
            uid,
            parse(post.text),
            f"demo-{self.number}",
            post.place,
            **options,
        )

    def _pictures(self, world: World) -> list[Picture]:
        uploads = draw_uploads(str(self.number), self.post.alts)
        return stage(world, world.uid(self.member), uploads)


@dataclass(frozen=True, slots=True)
class Pin(Act):
    """Pin one's own post."""

    number: int

    def perform(self, world: World) -> None:
        pins.pin(world, world.uid(self.member), world.posts[self.number])


@dataclass(frozen=True, slots=True)
class SaveDraft(Act):
    """Save a draft, which is posted at `due` if that is given."""

    key: str
    text: str
    due: datetime | None = None

    def perform(self, world: World) -> None:
        fields = {"text": self.text}
        uid = world.uid(self.member)
        drafts.save(world, uid, self.key, fields, self.due)


@dataclass(frozen=True, slots=True)
class ClosePolls(WaitingAct):
    """Do the workers' job that ends the polls whose time is over. It has no actor."""

    def perform(self, world: World) -> None:
        voting.close_due(world, range(PARTITIONS))


@dataclass(frozen=True, slots=True)
class Like(Act):
    """Like a post."""

    number: int

    def perform(self, world: World) -> None:
        likes.like(world, world.uid(self.member), world.posts[self.number])


@dataclass(frozen=True, slots=True)
class Boost(Act):
    """Boost a post."""

    number: int

    def perform(self, world: World) -> None:
        uid, status_id = world.uid(self.member), world.posts[self.number]
        boosts.boost(world, uid, status_id, home_network(uid))


@dataclass(frozen=True, slots=True)
class Bookmark(Act):
    """Keep a post."""

    number: int

    def perform(self, world: World) -> None:
        uid = world.uid(self.member)
        bookmarks.bookmark(world, uid, world.posts[self.number])


@dataclass(frozen=True, slots=True)
class Vote(Act):
    """Vote for options of a post's poll, by index from 0."""

    number: int
    options: tuple[int, ...]

    def perform(self, world: World) -> None:
        uid, status_id = world.uid(self.member), world.posts[self.number]
        voting.vote(world, uid, status_id, self.options)

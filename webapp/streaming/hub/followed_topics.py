"""Topics whose authors are loaded from the store and change while they are open."""

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.core.text.parser import tag_names
from webapp.statuses.visibility.policy import is_meant_for
from webapp.streaming.log.messages import Message
from webapp.streaming.log.restricted import RestrictedAudience
from webapp.streaming.matching.terms import Subject

from .topics import ANY_HOME, Follows, IndexKey, Topic, is_reply_to_other


@dataclass(frozen=True)
class Followed(Topic):
    """The statuses of the authors that one member follows or has put on a list."""

    owner: int  # uid
    shows_unlisted = True

    def wants_author_change(self, message: Message, follows: Follows) -> bool:
        return follows.follows(message.author)

    def may_want(self, author: int, follows: Follows) -> bool:
        return follows.follows(author)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        """Return True for a status of a followed author.

        A reply to another member is only for readers who follow both, or who take part in it.
        """
        if not follows.follows(message.author):
            return False
        return (
            not is_reply_to_other(subject)
            or self.owner in (subject.reply_to, subject.author)
            or follows.follows(subject.reply_to)
        )


@dataclass(frozen=True)
class List(Followed):
    """The statuses of the members on a list."""

    list_id: int
    kind = "list"


@dataclass(frozen=True)
class Home(Followed):
    """A member's home: the authors and hashtags that they follow, and their own statuses."""

    kind = "home"
    personal = True
    shows_restricted = True

    def index_keys(self) -> Iterable[IndexKey]:
        return (("author", self.owner), ANY_HOME)

    def may_want(self, author: int, follows: Follows) -> bool:
        return bool(follows.tags) or follows.follows(author)

    def wants_restricted(
        self, message: Message, audience: RestrictedAudience, follows: Follows
    ) -> bool:
        author, reply_to = message.author, audience.reply_to_uid
        if not follows.follows(author) or not is_meant_for(
            self.owner, author, audience.visibility, audience.mentioned_uids, follows=True
        ):
            return False
        return reply_to in (0, self.owner) or author == self.owner or follows.follows(reply_to)

    def wants_author_change(self, message: Message, follows: Follows) -> bool:
        """Return True if the home may show the author.

        Followers still see a protected author. Other homes may show the author for a hashtag or as
        a boost.
        """
        if message.kind == "protect":
            return not follows.follows(message.author)
        return bool(follows.tags) or follows.follows(message.author)

    def wants_status(self, message: Message, subject: Subject, follows: Follows) -> bool:
        return super().wants_status(message, subject, follows) or _has_followed_tag(
            message, subject, follows.tags
        )


def _has_followed_tag(message: Message, subject: Subject, tags: frozenset[str]) -> bool:
    """Return True if a hashtag brings a status to a home, whatever its author and kind."""
    if not tags or message.unlisted:
        return False
    return subject.content_unknown or not tags.isdisjoint(tag_names(subject.entities))

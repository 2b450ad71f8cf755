"""Who is sent what, looked up from the message: the cost grows with what it matches, not with all who are there."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from zlib import crc32

from ..text import tag_names
from .close import Close
from .matcher import Matcher
from .messages import Message
from .predicates import Predicate
from .terms import Subject

if TYPE_CHECKING:
    from .seat import Seat


LISTING = ("profile", "home", "list", "thread")  # the topics that are sent what is unlisted, or one reader's alone
K = TypeVar("K", int, str)
SHARES = 1_000  # parts that statuses fall into, for samples


class Topic(NamedTuple):
    """What a stream is about: `public`; `profile`, `home` or a `list` of a member; a `tag`; a `thread`, of a status and
    what is below it; a `sample` of everything; or a `filter`.
    """

    kind: str
    uid: int = 0
    shares: frozenset[int] = frozenset()  # of a sample
    predicate: Predicate | None = None  # of a filter
    tag: str = ""  # the folded name of a hashtag
    number: int = 0  # of a list, or the id of a thread's status


def share_of(status_id: int) -> int:
    """The part that a status falls into, from 0 to SHARES - 1; those of one author or one second fall into many."""
    return crc32(str(status_id).encode()) % SHARES


class Audience:
    """All seats of one topic. Of a home: with the authors and the hashtags that its viewer follows; of a list: with its
    members.
    """

    __slots__ = ("authors", "seats", "tags", "topic")

    def __init__(self, topic: Topic) -> None:
        self.topic = topic
        self.seats: set[Seat] = set()
        self.tags: frozenset[str] = frozenset()
        self.authors = array("Q")  # small, for there may be thousands; looked through only when it changes


class Index:
    """Audiences by what they want."""

    def __init__(self) -> None:
        self._everything: set[Audience] = set()
        self._by_author: dict[int, set[Audience]] = {}
        self._by_tag: dict[str, set[Audience]] = {}
        self._by_root: dict[int, set[Audience]] = {}
        self._by_share: dict[int, set[Audience]] = {}
        self._filters: Matcher[Audience] = Matcher()
        self._filtering: set[Audience] = set()
        self._homes: set[Audience] = set()

    def add_to_all(self, audience: Audience) -> None:
        """This audience wants everything."""
        self._everything.add(audience)

    def add_tags(self, audience: Audience, names: Iterable[str]) -> None:
        """This audience wants these hashtags too, by their folded names."""
        audience.tags |= frozenset(names)
        for name in audience.tags:
            self._by_tag.setdefault(name, set()).add(audience)

    def add_thread(self, audience: Audience) -> None:
        """This audience wants the status of its topic, and what is below it."""
        self._by_root.setdefault(audience.topic.number, set()).add(audience)

    def add_sample(self, audience: Audience) -> None:
        """This audience wants the shares of its topic."""
        for share in audience.topic.shares:
            self._by_share.setdefault(share, set()).add(audience)

    def add_filter(self, audience: Audience, predicate: Predicate) -> None:
        """This audience wants what its predicate matches."""
        self._filters.add(audience, predicate)
        self._filtering.add(audience)

    def add(self, audience: Audience, authors: Iterable[int]) -> None:
        """This audience wants these authors too."""
        if audience.topic.kind == "home":
            self._homes.add(audience)
        for uid in authors:
            among = self._by_author.setdefault(uid, set())
            if audience not in among:
                among.add(audience)
                audience.authors.append(uid)

    def drop(self, audience: Audience, uid: int) -> None:
        """This audience wants this author no more."""
        if audience in self._by_author.get(uid, ()):
            audience.authors.remove(uid)
            self._forget(self._by_author, uid, audience)

    def remove(self, audience: Audience) -> None:
        """This audience wants nothing any more."""
        self._everything.discard(audience)
        self._filters.remove(audience)
        self._filtering.discard(audience)
        self._homes.discard(audience)
        for share in audience.topic.shares:
            self._by_share.get(share, set()).discard(audience)
        self._forget(self._by_root, audience.topic.number, audience)
        for name in audience.tags:
            self._forget(self._by_tag, name, audience)
        audience.tags = frozenset()
        for uid in audience.authors:
            self._forget(self._by_author, uid, audience)
        del audience.authors[:]

    def wants(self, audience: Audience, author: int) -> bool:
        """Whether an audience may be sent what this author writes. Others look at the status too."""
        if audience.topic.kind in ("tag", "thread", "sample", "filter"):
            return True
        return audience in self._everything or bool(audience.tags) or self._follows(audience, author)

    def takes(self, audience: Audience, message: Message, subject: Subject) -> bool:
        """Whether an audience is sent a message about this subject."""
        topic = audience.topic
        if message.reader:
            return topic.kind in LISTING
        if message.close:
            return self._may_see(audience, message, message.close)
        if message.unlisted and topic.kind not in LISTING:
            return False
        if message.kind == "protect" and topic.kind == "home":  # who follows is shown it all the same
            return not self._follows(audience, message.author)
        if topic.kind == "thread":
            return not message.status or topic.number in (message.status, *message.above)
        if topic.tag:
            return not message.status or subject.faded or topic.tag in tag_names(subject.entities)
        if topic.kind == "filter" and topic.predicate:
            return not message.status or topic.predicate.matches(subject)
        if topic.shares and message.status and share_of(message.status) not in topic.shares:
            return False
        wanted = topic.shares or audience in self._everything or self._follows(audience, message.author)
        return (wanted and self._left(audience, message, subject)) or self._brings(audience, message, subject)

    def audiences(self, message: Message, subject: Subject) -> set[Audience]:
        """The audiences that are sent a message about this subject."""
        if message.close:
            follow = self._by_author.get(message.author, ())
            return {one for one in follow if self._may_see(one, message, message.close)}
        found = {*self._everything, *self._by_author.get(message.author, ())}
        threads = self._threads(message)
        if message.unlisted:
            return threads | {one for one in found if self.takes(one, message, subject)}
        if not message.status:  # whoever may have seen any of the author's
            found = found.union(self._filtering, *self._by_share.values(), *self._by_tag.values(), threads)
            if message.kind == "protect":  # homes of others may show it for a hashtag, or as somebody boosts it
                found |= self._homes
                return {one for one in found if one.topic.kind != "home" or not self._follows(one, message.author)}
            return found
        found.update(*self._tagged(subject))
        found |= self._by_share.get(share_of(message.status), set())
        left = {one for one in found if self._left(one, message, subject) or self._brings(one, message, subject)}
        return left | threads | self._filters.match(subject)

    def _follows(self, audience: Audience, author: int) -> bool:
        return audience in self._by_author.get(author, ())

    def _may_see(self, audience: Audience, message: Message, homes: Close) -> bool:
        """Whether what not everybody may see is for this page: for homes alone, and for those that hold it."""
        topic, only, to = audience.topic, homes.only, homes.to
        if topic.kind != "home" or not self._follows(audience, message.author):
            return False
        if only is not None and topic.uid not in only:
            return False
        return to == 0 or topic.uid in (to, message.author) or self._follows(audience, to)

    def _brings(self, audience: Audience, message: Message, subject: Subject) -> bool:
        """Whether a hashtag brings a status to a home, whoever wrote it, and whatever it answers."""
        if not audience.tags or message.unlisted or not message.status or message.kind in ("boost", "unboost"):
            return False
        return subject.faded or not audience.tags.isdisjoint(tag_names(subject.entities))

    def _left(self, audience: Audience, message: Message, subject: Subject) -> bool:
        """Whether a message is left by what a sample or the firehose is narrowed to, by language and level; and of a
        reply to another member, whether it is for this page: for the home of who follows both, for a list that both are
        on, or its owner has made, for no other.
        """
        topic, to = audience.topic, subject.reply_to
        if to in (0, subject.author) or topic.kind not in ("public", "profile", "home", "list"):
            return topic.predicate is None or message.subject is None or topic.predicate.admits(message.subject)
        return topic.kind in ("home", "list") and (
            topic.uid in (to, subject.author) or audience in self._by_author.get(to, ())
        )

    def _threads(self, message: Message) -> set[Audience]:
        """The audiences of the threads that a status is in; of all, for what is about an author."""
        roots = (message.status, *message.above) if message.status else tuple(self._by_root)
        return {one for root in roots for one in self._by_root.get(root, ())}

    def _tagged(self, subject: Subject) -> Iterable[set[Audience]]:
        """The audiences of its tags; of all, where it is gone and so long ago that its tags are not known any more."""
        if subject.faded:
            return self._by_tag.values()
        names = tag_names(subject.entities) if self._by_tag else ()
        return [self._by_tag[name] for name in names if name in self._by_tag]

    @staticmethod
    def _forget(index: dict[K, set[Audience]], key: K, audience: Audience) -> None:
        among = index.get(key, set())
        among.discard(audience)
        if not among:
            index.pop(key, None)

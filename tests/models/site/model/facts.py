"""The facts of the model, and who may see which status."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from webapp.core.events.outbox import BULK, OUTBOX_GROUPS
from webapp.core.store import partition_of
from webapp.registry.bulk import BULK as BULK_PROJECTIONS
from webapp.statuses import Visibility

NOTHING = 0  # the result of a post that was refused
TAGS_BY_TEXT = {"hello": (), "a #Bird": ("bird",), "#bird, #BIRD and #麻雀": ("bird", "麻雀")}
TEXTS = sorted(TAGS_BY_TEXT)
TAGS = ("bird", "麻雀")


class Event(NamedTuple):
    """An event: who or what did it, to whom or to what, and which follow of the two it is."""

    type: str
    subject: int
    target: int
    follow_number: int = 0


class Facts:
    """The current state. Fields that begin with `applied` are the part that was applied so far.

    Lists are in the order in which the member acted.
    """

    def __init__(self) -> None:
        self._init_statuses()
        self._init_members()
        self._init_interactions()
        self.pending_events: dict[tuple[str, int], list[Event]] = defaultdict(list)

    def _init_statuses(self) -> None:
        self.statuses: dict[int, int] = {}  # id → author
        self.applied_public: set[int] = set()
        self.delivered: dict[int, set[int]] = defaultdict(set)  # uid → statuses in their home
        # These keep deleted statuses.
        self.authors: dict[int, int] = {}
        self.texts: dict[int, str] = {}
        self.versions: dict[int, list[str]] = {}  # oldest first
        self.visibilities: dict[int, Visibility] = {}
        self.mentions: dict[int, int] = {}  # id → uid
        self.parents: dict[int, int] = {}
        self.reply_to_uid: dict[int, int] = {}  # of replies to other members
        self.quoted_ids: dict[int, int] = {}
        self.detached: set[int] = set()  # by the author of the quoted status
        # These are by status.
        self.applied_replies: dict[int, set[int]] = defaultdict(set)
        self.applied_quotes: dict[int, set[int]] = defaultdict(set)

    def _init_members(self) -> None:
        self.logins: dict[int, str] = {}
        self.deleted_members: set[int] = set()
        self.suspended: set[int] = set()
        self.applied_suspended: set[int] = set()
        self.protected: set[int] = set()
        self.ever_protected: set[int] = set()
        self.ever_blocked: set[frozenset[int | None]] = set()  # pairs
        # These are by member.
        self.follows: dict[int, list[int]] = defaultdict(list)
        self.follow_counts: dict[tuple[int, int], int] = {}  # how often one followed the other
        self.applied_followers: dict[int, list[int]] = defaultdict(list)
        self.requested: dict[int, list[int]] = defaultdict(list)
        self.applied_requests: dict[int, set[int]] = defaultdict(set)  # to the member
        self.blocks: dict[int, set[int]] = defaultdict(set)
        self.applied_blockers: dict[int, set[int]] = defaultdict(set)
        self.mutes: dict[int, set[int]] = defaultdict(set)
        self.expired_mutes: dict[int, set[int]] = defaultdict(set)
        self.followed_tags: dict[int, list[str]] = defaultdict(list)

    def _init_interactions(self) -> None:
        # These are by member.
        self.liked: dict[int, list[int]] = defaultdict(list)
        self.boosted: dict[int, list[int]] = defaultdict(list)
        self.boost_ids: dict[tuple[int, int], int] = {}  # (uid, status) → id of the boost
        self.bookmarks: dict[int, list[int]] = defaultdict(list)
        self.pinned: dict[int, list[int]] = defaultdict(list)
        # These are by status.
        self.applied_likers: dict[int, set[int]] = defaultdict(set)
        self.applied_boosters: dict[int, set[int]] = defaultdict(set)
        self.votes: dict[int, dict[int, int]] = defaultdict(dict)  # uid → bits of the choice
        self.applied_tags: dict[str, set[int]] = defaultdict(set)  # tag → statuses

    def emit(self, uid: int, type: str, subject: int, target: int, follow_number: int = 0) -> None:
        """Let an event wait in a member's partition."""
        for group in (*OUTBOX_GROUPS, *([BULK] if type in BULK_PROJECTIONS else [])):
            pending = self.pending_events[group, partition_of(uid)]
            pending.append(Event(type, subject, target, follow_number))

    # Members

    @property
    def active_members(self) -> list[int]:
        """The members who are neither suspended nor deleted."""
        return [uid for uid in self.logins if uid not in self.suspended | self.deleted_members]

    def likers(self, status: int) -> set[int]:
        """Return the members who like a status."""
        return {uid for uid, liked in self.liked.items() if status in liked}

    def boosters(self, status: int) -> set[int]:
        """Return the members who have boosted a status."""
        return {uid for uid, boosted in self.boosted.items() if status in boosted}

    def followers(self, uid: int) -> set[int]:
        """Return the members who follow a member."""
        return {other for other, follows in self.follows.items() if uid in follows}

    def requesters(self, uid: int) -> set[int]:
        """Return the members who ask to follow a member."""
        return {other for other, requested in self.requested.items() if uid in requested}

    def blockers(self, uid: int) -> set[int]:
        """Return the members who block a member."""
        return {other for other, blocked in self.blocks.items() if uid in blocked}

    # Statuses

    def written_by(self, uid: int) -> set[int]:
        """Return the statuses of a member."""
        return {status for status, author in self.statuses.items() if author == uid}

    def posts_of(self, uid: int) -> set[int]:
        """Return the statuses of a member, without replies to others."""
        return self.written_by(uid) - self.reply_to_uid.keys()

    def ancestors(self, status: int) -> list[int]:
        """Return the statuses above a reply, the first post first."""
        parent = self.parents.get(status)
        return [*self.ancestors(parent), parent] if parent else []

    def descendants(self, status: int) -> list[int]:
        """Return the statuses below a status."""
        return [reply for reply in self.statuses if status in self.ancestors(reply)]

    def tagged_with(self, name: str) -> set[int]:
        """Return the public statuses with a hashtag, those of suspended authors included."""
        return {
            status
            for status in self.only_public(self.statuses)
            if name in TAGS_BY_TEXT[self.texts[status]]
        }

    # Visibility

    def without_hidden(self, statuses: Iterable[int], viewer: int = 0) -> list[int]:
        """Leave out statuses of authors who are suspended, or muted by the viewer."""
        hidden = self.suspended | self.mutes.get(viewer, set())
        return [status for status in statuses if self.statuses[status] not in hidden]

    def effective_visibility(self, status: int) -> Visibility:
        """Return the visibility of a status now."""
        own = self.visibilities[status]
        if self.authors[status] in self.protected and not own.restricted:
            return Visibility.FOLLOWERS
        return own

    def posted_unrestricted(self, statuses: Iterable[int]) -> set[int]:
        """Return the statuses that were posted for everybody."""
        return {status for status in statuses if not self.visibilities[status].restricted}

    def only_unrestricted(self, statuses: Iterable[int]) -> set[int]:
        """Return the statuses that everybody may see now."""
        return {status for status in statuses if not self.effective_visibility(status).restricted}

    def only_public(self, statuses: Iterable[int]) -> set[int]:
        """Return the statuses that public timelines may show now."""
        return {
            status for status in statuses if self.effective_visibility(status) is Visibility.PUBLIC
        }

    def addressed(self, status: int) -> set[int]:
        """Return the member whom a status mentions, and the one to whom it replies."""
        parent = self.parents.get(status)
        return {self.mentions.get(status, 0), self.authors[parent] if parent else 0} - {0}

    def may_see(self, uid: int, status: int) -> bool:
        """Return True if a member (0: a visitor) may see a status."""
        visibility = self.effective_visibility(status)
        author = self.authors[status]
        if not visibility.restricted or uid == author:
            return True
        if self.visibilities[status].restricted and uid in self.addressed(status):
            return True
        return visibility is Visibility.FOLLOWERS and author in self.follows.get(uid, ())

    def is_counted_reply(self, reply: int) -> bool:
        """Return True if a reply is for all who may see its parent."""
        own = self.effective_visibility(reply)
        parent = self.visibilities[self.parents[reply]]
        if not own.restricted:
            return True
        narrowing = (Visibility.FOLLOWERS, Visibility.MENTIONED)
        return parent.restricted and narrowing.index(own) <= narrowing.index(parent)

    def counted_replies(self, status: int) -> set[int]:
        """Return the replies to a status that are for all who may see it."""
        replies = (reply for reply in self.statuses if self.parents.get(reply) == status)
        return {reply for reply in replies if self.is_counted_reply(reply)}

    def unrestricted_quotes(self, status: int) -> set[int]:
        """Return the quotes of a status that everybody may see."""
        return self.only_unrestricted(
            quote for quote in self.statuses if self.quoted_ids.get(quote) == status
        )

"""A status with its thread: the statuses that it answers, and those that answer it.

A status stores the path above it and the paths of all that hangs below it (replies.py). So the
number of trips does not depend on the shape of a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import NotFound
from webapp.core.events.outbox import current_position
from webapp.core.store import Db, Read, constant, gather, read
from webapp.statuses import keys as status_keys
from webapp.statuses.filters.filter_set import NO_FILTERS, FilterSet
from webapp.statuses.hydration import Hydrated, complete, hydrate, with_memberships
from webapp.statuses.interactions.likers import few_likers, is_visible
from webapp.statuses.items import uids_on_page
from webapp.statuses.status import Status
from webapp.statuses.store import get
from webapp.statuses.threads import keys as thread_keys
from webapp.statuses.values.reply_policy import ReplyRule, unpack_reply_rule
from webapp.statuses.viewer.viewer_state import ViewerState

from .conversations import is_muted
from .hidden_replies import hidden_among
from .nodes import ThreadNode, Tombstone, split_nodes
from .replies import (
    ANCESTORS_MAX,
    PathStep,
    ThreadPath,
    conversation_of,
    format_cursor,
    pack_path,
    unpack_path,
)

VotesRead = Callable[[Status, int | None], Read[tuple[Any, ...]]]
SPARE = 10  # statuses read beyond a page and one more: some may be hidden


@dataclass(frozen=True, slots=True)
class Thread:
    """A page of a thread."""

    status: Status
    ancestors: tuple[Status | Tombstone, ...]  # oldest first
    descendants: tuple[ThreadNode, ...]  # depth first, oldest first
    hidden: tuple[ThreadNode, ...]  # the descendants that the author of the thread has hidden
    viewer_state: ViewerState
    votes: tuple[Any, ...]  # of the status in its groups
    uids: frozenset[int]  # authors of all on the page and of what it quotes; see `_left_out`
    can_reply: bool
    muted: bool = False  # the viewer is not notified about the conversation
    earlier: Status | None = None  # on whose page more ancestors are
    next: str | None = None  # the cursor of further descendants
    liked_by: tuple[Member, ...] = ()  # some who like the status
    by_likes: bool = False  # the most liked direct replies come first
    position: str = field(default="0-0", compare=False)  # in the site's log, as it was read
    counts: tuple[object, ...] = field(init=False, repr=False)  # statuses are equal without them

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", tuple(status.counts for status in self.statuses))

    @property
    def statuses(self) -> list[Status]:
        """Return the statuses on the page: the one it is about, then its thread."""
        below = (node.content for node in (*self.descendants, *self.hidden))
        return [self.status, *_shown((*self.ancestors, *below))]


@dataclass(frozen=True, slots=True)
class _Paths:
    """The data that a status stores about its thread. `conversation`: the id of its first post."""

    own_step: PathStep
    ancestors: ThreadPath
    conversation: int
    reply_rule: ReplyRule

    def for_viewer(self, viewer: int | None) -> Read[tuple[bool, bool]]:
        """Read whether a viewer may reply, and has muted the conversation."""
        return gather(self.reply_rule.allows(viewer or 0), is_muted(viewer, self.conversation))

    @property
    def first_author(self) -> int:
        """Return the uid of who began the thread."""
        return (*self.ancestors, self.own_step)[0][1]


def thread(
    db: Db,
    status_id: int,
    viewer: int | None,
    after: ThreadPath,
    size: int,
    filters: FilterSet = NO_FILTERS,
    votes_read: VotesRead = lambda *_: constant(()),
) -> Thread:
    """Return a status, those above it, and `size` statuses below it after the cursor `after`.

    `votes_read`: reads the status's votes for the viewer. Two to four trips. Raises as `get`.
    """
    position, paths, descendants, likers = db.read(_skeleton(status_id, viewer, after, size))
    steps = list(dict.fromkeys([*paths.ancestors, paths.own_step, *chain(*descendants)]))
    found, (may_reply, has_muted), hidden, members = db.fetch(
        hydrate(steps, viewer, other_uids=likers),
        paths.for_viewer(viewer),
        hidden_among(paths.first_author, {status_id for status_id, _ in chain(*descendants)}),
        accounts.get_many(likers),
    )
    found = db.read(with_memberships(found))
    contents = _contents(steps, found, filters)
    status = found.relationship.require_visible(found.items[steps.index(paths.own_step)])
    on_page = [status, *_shown(contents.values())]  # itself whatever filters say
    above = tuple(contents[step] for step in paths.ancestors)
    page, last = _first_shown(descendants, contents, size)
    return Thread(
        status,
        above[-ANCESTORS_MAX:],
        *split_nodes(page, contents, after, hidden),
        *db.fetch(complete(viewer, on_page, found.viewer_state), votes_read(status, viewer)),
        uids_on_page(on_page).union(_left_out(steps, found)),
        *(may_reply and found.relationship.may_post_with(status), has_muted),
        earlier=next(iter(_shown(above)), None) if len(above) > ANCESTORS_MAX else None,
        next=format_cursor(last) if last else None,
        liked_by=tuple(one for one in members.values() if is_visible(one, found.relationship)),
        position=position,
    )


def require_streamable(db: Db, status_id: int, viewer: int | None) -> None:
    """Raise unless a stream may tell a viewer about a status and its thread. Two trips.

    Raises as the page does, and NotFound if not everybody may see the status.
    """
    if get(db, status_id, viewer).visibility.restricted:
        raise NotFound("no_status")


def _skeleton(
    status_id: int, viewer: int | None, after: ThreadPath, size: int
) -> Read[tuple[str, _Paths, list[ThreadPath], list[int]]]:
    """Read the log's position, a status's place in its thread, the paths below it, and likers."""
    return gather(
        current_position(),
        _stored_paths(status_id),
        _descendants(status_id, after, size + 1 + SPARE),
        few_likers(status_id, viewer),
    )


def _stored_paths(status_id: int) -> Read[_Paths]:
    """Read the place in its thread that a status stores. Raises NotFound."""

    def parse(fields: Sequence[str | None]) -> _Paths:
        author, stored_path, root, rule = fields
        if author is None:
            raise NotFound("no_status")
        own_step, path = (status_id, int(author)), unpack_path(stored_path)
        conversation = conversation_of((*path, own_step), root)
        return _Paths(own_step, path, conversation, unpack_reply_rule(rule))

    names = ("author", "ancestors", "root", "reply_rule")
    return read(("HMGET", status_keys.status(status_id), *names), parse)


def _descendants(status_id: int, after: ThreadPath, limit: int) -> Read[list[ThreadPath]]:
    bound = f"({pack_path(after)}" if after else "-"
    return read(
        ("ZRANGE", thread_keys.thread(status_id), bound, "+", "BYLEX", "LIMIT", 0, limit),
        lambda paths: [unpack_path(path) for path in paths],
    )


def _contents(
    steps: Sequence[PathStep], found: Hydrated, filters: FilterSet
) -> dict[PathStep, Status | Tombstone]:
    """Return each status of a thread, or its tombstone, as the viewer sees it."""
    contents: dict[PathStep, Status | Tombstone] = {}
    for step, item in zip(steps, found.items, strict=True):
        is_visible = isinstance(item, Status) and found.relationship.is_visible(item)
        if isinstance(item, Status) and is_visible and not filters.hides(item):
            contents[step] = item
        else:
            contents[step] = Tombstone(deleted=item is None)
    return contents


def _shown(contents: Iterable[Status | Tombstone]) -> list[Status]:
    return [content for content in contents if isinstance(content, Status)]


def _first_shown(
    paths: Sequence[ThreadPath], contents: Mapping[PathStep, Status | Tombstone], size: int
) -> tuple[list[ThreadPath], ThreadPath | None]:
    """Return the paths of the first `size` statuses that the viewer sees.

    Also the path after which the next page begins; None if there is nothing more to see. Only where
    more than SPARE are hidden does the link to an empty page tell that something is.
    """
    shown = [path for path in paths if isinstance(contents[path[-1]], Status)]
    if len(shown) > size:
        return shown[:size], shown[size - 1]
    return shown, paths[-1] if len(paths) > size + SPARE else None


def _left_out(steps: Sequence[PathStep], found: Hydrated) -> Iterator[int]:
    """Yield the uids, with a minus sign, of authors whose statuses a page may show later, or not.

    Never those of restricted statuses: who changes a name must not reveal where they wrote one.
    """
    for (_, author), item in zip(steps, found.items, strict=True):
        is_restricted = isinstance(item, Status) and item.visibility.restricted
        if not is_restricted or (isinstance(item, Status) and item.author.protected):
            yield -author

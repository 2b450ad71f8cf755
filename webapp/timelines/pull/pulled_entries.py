"""Entries that are read when a home is opened: of hashtags, groups and much-followed authors.

They are never pushed or retracted. A group is named `=` and its number; no hashtag begins so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Read, gather, read
from webapp.core.web import newest_below
from webapp.statuses import BoostRef, Status
from webapp.statuses.boost_refs import newest_boosts
from webapp.statuses.visibility import keys as group_keys
from webapp.statuses.visibility.author_page import AuthorPage, author_page
from webapp.timelines import keys
from webapp.timelines.entries import id_of, poster_of


@dataclass(frozen=True, slots=True)
class AuthorPosts:
    """The newest statuses and boosts of one or more authors.

    Replies are among the statuses, also those that the viewer may not see. `complete_to`: there
    may be more below this id; 0 if not.
    """

    statuses: tuple[Status, ...] = ()
    boosts: tuple[BoostRef, ...] = ()
    complete_to: int = 0


NO_POSTS = AuthorPosts()


def author_posts(uid: int, before: int | None, size: int) -> Read[AuthorPosts]:
    """Read `size` posts of an author below `before`, as many replies, and twice as many boosts.

    These are for all followers. Statuses that only mention some of them are pushed to their homes.
    """

    def combine(results: tuple[Member | None, AuthorPage, list[BoostRef]]) -> AuthorPosts:
        author, page, boosts = results
        if author is None or author.suspended:
            return NO_POSTS
        statuses = page.statuses(author, is_follower=True)
        # Replies would end pages that they are not on.
        posts = [status for status in statuses if not status.reply_to_uid]
        complete_to = max(_complete_to(posts, size), _complete_to(boosts, 2 * size))
        return AuthorPosts(tuple(statuses), tuple(boosts), complete_to)

    return gather(
        accounts.get(uid),
        author_page(uid, before, size, with_replies=True, is_follower=True),
        newest_boosts(uid, before, 2 * size),
    ).map(combine)


def combine_posts(pages: Iterable[AuthorPosts]) -> AuthorPosts:
    """Return the posts of several authors as one, complete down to the highest of their ends."""
    each = list(pages)
    if not each:
        return NO_POSTS
    return AuthorPosts(
        tuple(status for page in each for status in page.statuses),
        tuple(boost for page in each for boost in page.boosts),
        max(page.complete_to for page in each),
    )


def _complete_to(items: Sequence[Status | BoostRef], limit: int) -> int:
    """Return the id of the last of `limit` items: others may be below it. 0 if there are fewer."""
    return items[limit - 1].id if len(items) >= limit else 0


@dataclass(frozen=True, slots=True)
class TagEntries:
    """Entries of hashtags, each once, newest first, down to `complete_to` (0: all there are)."""

    entries: Sequence[str] = ()
    complete_to: int = 0


NO_TAG_ENTRIES = TagEntries()


def group_number(name: str) -> int:
    """Return the number of a group, 0 for a hashtag."""
    return int(name[1:]) if name.startswith("=") else 0


def tag_page(name: str, before: int | None, limit: int) -> Read[Sequence[str]]:
    """Read the newest `limit` entries of a hashtag (its folded name) below the cursor `before`.

    Or those of a group.
    """
    gid = group_number(name)
    key = group_keys.group_posts(gid) if gid else keys.hashtag_statuses(name)
    return read(newest_below(key, before, limit), tuple)


def combine_tags(pages: Iterable[Sequence[str]], limit: int, hidden: Set[int]) -> TagEntries:
    """Merge pages of several hashtags, each of at most `limit` entries, without hidden authors."""
    each = list(pages)
    if not each:
        return NO_TAG_ENTRIES
    complete_to = max((id_of(page[-1]) for page in each if len(page) == limit), default=0)
    entries = {
        entry for page in each for entry in takewhile(lambda one: id_of(one) >= complete_to, page)
    }
    visible = (entry for entry in entries if poster_of(entry) not in hidden)
    return TagEntries(sorted(visible, key=id_of, reverse=True), complete_to)

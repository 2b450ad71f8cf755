"""Projection: a new follow brings the author's newest entries into a home. Safe to run twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.events.outbox import Context, Event, in_steps
from webapp.core.store import (
    PARTITIONS,
    Command,
    Read,
    Steps,
    ask,
    collect,
    gather,
    read,
    script,
    send,
    send_all,
)
from webapp.core.store.schema import partition_tag
from webapp.following import keys as following_keys
from webapp.statuses import BoostRef, keys as status_keys
from webapp.statuses.boost_refs import format_entry, newest_boosts
from webapp.timelines import keys
from webapp.timelines.entries import format_status_entry

MERGE = script("timelines/home/lua/merge.lua")
MARK_PULL_AUTHOR = script("timelines/fanout/lua/mark_pull_author.lua")


@dataclass(frozen=True, slots=True)
class _Posts:
    """An author's newest posts that a follower may see. Members are `id` or `id:reply_to`.

    `mentioning`: statuses for mentioned members only, the follower among them.
    """

    follower_count: int
    is_pull_author: bool
    posts: Sequence[str]
    boosts: Sequence[BoostRef]
    replies: Sequence[str]
    for_followers: Sequence[str]
    mentioning: Sequence[str]

    @property
    def any(self) -> bool:
        """Return True if there is something to merge."""
        return bool(
            self.posts or self.boosts or self.replies or self.for_followers or self.mentioning
        )


@in_steps
def backfill(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Merge the newest posts of followed authors into their new followers' homes.

    An author with very many followers becomes a pull author. The follower is on the author's list
    already, so nothing falls between.
    """
    home_max = context.config.home_max
    pairs = [(event.number("uid"), event.number("target")) for event in events]
    found = yield from ask(
        collect(_newest_posts(uid, author, home_max + 1) for uid, author in pairs)
    )
    commands = []
    for event, (uid, author), posts in zip(events, pairs, found, strict=True):
        is_pull_author = posts.is_pull_author
        if not is_pull_author and posts.follower_count > context.config.push_max_followers:
            yield from _switch_to_pull(author)
            is_pull_author = True
        if is_pull_author:  # homes read the rest themselves
            posts = replace(posts, posts=(), boosts=(), replies=(), for_followers=())
        if posts.any:
            commands.append(_merge_command(context.config, event, uid, author, posts))
    yield from send(*commands)


def _newest_posts(uid: int, author: int, count: int) -> Read[_Posts]:
    """Read the newest `count` of each of an author's lists that the follower may see."""

    def newest(key: str) -> Read[Sequence[str]]:
        return read(("ZRANGE", key, "+inf", "-inf", "BYSCORE", "REV", "LIMIT", 0, count), tuple)

    def build(results: tuple[Any, ...]) -> _Posts:
        return _Posts(*results)

    return gather(
        read(("ZCARD", following_keys.followers(author)), int),
        read(("HGET", account_keys.user(author), "pull_author"), bool),
        newest(status_keys.profile_statuses(author)),
        newest_boosts(author, None, count),
        newest(status_keys.profile_replies(author)),
        newest(status_keys.restricted_statuses(author, status_keys.FOLLOWERS_AUDIENCE)),
        newest(status_keys.restricted_statuses(author, uid)),
    ).map(build)


def _switch_to_pull(author: int) -> Steps[None]:
    """Make an author a pull author. Two steps, three if the account was just deleted.

    Every partition knows it before pushing stops. In between a status may come both ways; homes
    show it once.
    """
    listed = [keys.pull_authors(p) for p in range(PARTITIONS)]
    yield from send_all(("SADD", key, author) for key in listed)
    [has_account] = yield from send(MARK_PULL_AUTHOR(author=author))
    if not has_account:
        yield from send_all(("SREM", key, author) for key in listed)


def _merge_command(config: Config, event: Event, uid: int, author: int, found: _Posts) -> Command:
    home_max = config.home_max
    floor = int(found.posts[home_max - 1]) if len(found.posts) > home_max else 0
    others = chain(found.replies, found.for_followers, found.mentioning)
    source, token = event.fence
    return MERGE(
        tag=partition_tag(uid),
        uid=uid,
        source=source,
        token=token,
        home_max=home_max,
        home_slack=config.home_slack,
        complete_to=floor or "",
        mark="",
        version="",
        before="",
        entries=_entries(author, found.posts[:home_max], others, found.boosts, floor),
    )


def _entries(
    author: int,
    posts: Iterable[str],
    others: Iterable[str],
    boosts: Iterable[BoostRef],
    floor: int,
) -> list[str]:
    """Return the entries of an author's posts, and of other statuses and boosts above `floor`."""
    scored = {(boost.id, format_entry(boost)) for boost in boosts if boost.id > floor}
    scored |= {(int(status_id), format_status_entry(status_id, author)) for status_id in posts}
    for other in others:
        status_id, _, reply_to = other.partition(":")
        if int(status_id) > floor:
            scored.add((int(status_id), format_status_entry(status_id, author, reply_to)))
    return [entry for _, entry in sorted(scored, reverse=True)]

"""What posting, deleting and following do to timelines that belong to others, but for fan-out. Each of these is safe to
run twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain

from webapp.accounts import keys as account_keys
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.store.reads import Command
from webapp.core.store.schema import PARTITION_TAGS, partition_tag
from webapp.core.store.scripts import script
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.interactions.boosts import (
    BoostRef,
    format_entry,
    newest_boosts_command,
    newest_boosts_from,
    ref_from_event,
)
from webapp.statuses.lookup import Entry
from webapp.statuses.visibility.visibility import protected_uids
from webapp.timelines import keys as timeline_keys

MERGE = script("timelines/lua/merge_into_home.lua")
PUBLISH = script("timelines/lua/publish.lua")
LATEST_COMMANDS = 7  # replies to the commands of `_latest`


def publish(context: Context, events: Sequence[Event]) -> None:
    """Posted statuses enter the public timeline, unless they are gone by now; deleted ones leave it. Replies to others
    are never in it, nor is what is not public, or of a protected author.
    """
    events = [event for event in events if not replied_to_uid(event) and not event.data.get("vis")]
    entries = [id_and_author(event) for event in events]
    public = context.db.trip(
        *(("EXISTS", status_keys.status(status_id)) for status_id, _ in entries)
    )
    protected_authors = protected_uids(context.db, (author for _, author in entries))
    public = [
        exists and author not in protected_authors
        for exists, (_, author) in zip(public, entries, strict=True)
    ]
    context.db.trip(
        *(
            PUBLISH(
                timeline=timeline_keys.public_timeline(),
                fences=event_keys.fences(timeline_keys.PUBLIC_TAG),
                source=event.fence[0],
                token=event.fence[1],
                entry=f"{status_id}:{author}",
                id=status_id if exists else "",
                limit=context.config.public_max,
            )
            for event, (status_id, author), exists in zip(events, entries, public, strict=True)
        )
    )


def backfill(context: Context, events: Sequence[Event]) -> None:
    """A new follow brings the author's newest statuses into the follower's home, as many as they may see, and of their
    newest replies those to others who are followed; an author with very many followers is from now on merged when homes
    are read. The follower is on the author's list already, so that nothing falls between.
    """
    home_max = context.config.home_max
    pairs = [(int(event.data["uid"]), int(event.data["target"])) for event in events]
    replies = context.db.trip(
        *(
            command
            for uid, author in pairs
            for command in _latest_commands(uid, author, home_max + 1)
        )
    )
    merges = []
    for event, (uid, author), start in zip(
        events, pairs, range(0, len(replies), LATEST_COMMANDS), strict=True
    ):
        follower_count, is_pulled, newest_ids, boosts, *other_ids = replies[
            start : start + LATEST_COMMANDS
        ]
        if not is_pulled and follower_count > context.config.push_max_followers:
            _switch_to_pull(context, author)
            is_pulled = True
        if is_pulled:  # all of it is merged, but for what names the follower
            newest_ids, boosts, other_ids = [], [], other_ids[-1:]
        if newest_ids or boosts or any(other_ids):
            floor = int(newest_ids[home_max - 1]) if len(newest_ids) > home_max else 0
            entries = _home_entries(
                author,
                newest_ids[:home_max],
                [*chain(*other_ids)],
                newest_boosts_from(author, boosts),
                floor,
            )
            merges.append(
                MERGE(
                    home=timeline_keys.home(uid),
                    following=following_keys.following(uid),
                    active=timeline_keys.active_members(partition_of(uid)),
                    fences=event_keys.fences(partition_tag(uid)),
                    uid=uid,
                    source=event.fence[0],
                    token=event.fence[1],
                    home_max=home_max,
                    home_slack=context.config.home_slack,
                    complete_to=floor or "",
                    mark="",
                    version="",
                    before="",
                    entries=entries,
                )
            )
    context.db.trip(*merges)


def _latest_commands(uid: int, author: int, count: int) -> list[Command]:
    """The LATEST commands that read what an author wrote lately, as many of each list as a follower may see."""
    restricted = (
        status_keys.restricted_statuses(author, status_keys.FOLLOWERS_AUDIENCE),
        status_keys.restricted_statuses(author, uid),
    )
    lists = (status_keys.profile_statuses(author), status_keys.profile_replies(author), *restricted)
    range_args = ("+inf", "-inf", "BYSCORE", "REV", "LIMIT", 0, count)
    return [
        ("ZCARD", following_keys.followers(author)),
        ("HGET", account_keys.user(author), "pulled"),
        ("ZRANGE", lists[0], *range_args),
        newest_boosts_command(author, None, count),
        *(("ZRANGE", key, *range_args) for key in lists[1:]),
    ]


def _home_entries(
    author: int, newest_ids: list[str], other_ids: list[str], boosts: list[BoostRef], floor: int
) -> list[str]:
    """The entries of an author's newest statuses, and of the others (`id`, or `id:to` of a reply) and boosts above
    `floor`, newest first.
    """
    scored = {(boost.id, format_entry(boost)) for boost in boosts if boost.id > floor}
    scored |= {(int(status_id), f"{status_id}:{author}") for status_id in newest_ids}
    for other in other_ids:
        status_id, _, to = other.partition(":")
        if int(status_id) > floor:
            scored.add((int(status_id), ":".join(filter(None, (status_id, str(author), to)))))
    return [entry for _, entry in sorted(scored, reverse=True)]


def _switch_to_pull(context: Context, author: int) -> None:
    """Every partition learns of it before pushing stops: in between, a status may come both ways and is shown once."""
    context.db.trip(
        *(
            ("SADD", timeline_keys.pull_authors(partition), author)
            for partition in range(PARTITIONS)
        )
    )
    context.db.run(("HSET", account_keys.user(author), "pulled", 1))


def group_by_fence(
    context: Context, event: Event, batch: Sequence[str]
) -> Iterator[tuple[str, dict[int, list[str]]]]:
    """The homes of one script each, as (its fence key, partition → uids): all of them on one server, one partition's
    on a Cluster.
    """
    groups = group_by_partition(batch)
    if context.db.is_single_server:
        yield event_keys.fences(PARTITION_TAGS[event.partition]), groups
    else:
        for partition, uids in groups.items():
            yield event_keys.fences(PARTITION_TAGS[partition]), {partition: uids}


def group_by_partition(uids: Sequence[str]) -> dict[int, list[str]]:
    """Members by the partition they lie in."""
    groups: dict[int, list[str]] = defaultdict(list)
    for uid in uids:
        groups[int(uid) % PARTITIONS].append(uid)
    return groups


def id_and_author(event: Event) -> Entry:
    """The id of a status, or of a boost, and whose it is."""
    boost = ref_from_event(event)
    return (
        (boost.id, boost.booster_uid)
        if boost
        else (int(event.data["id"]), int(event.data["author"]))
    )


def replied_to_uid(event: Event) -> str:
    """The uid of the other member whom a status answers; nothing for a post, and for a reply to oneself."""
    to = event.data.get("to", "")
    return to if to != event.data["author"] else ""


def home_entry(event: Event) -> str:
    """How homes name a status, or a boost."""
    boost = ref_from_event(event)
    if boost:
        return format_entry(boost)
    return ":".join(filter(None, (event.data["id"], event.data["author"], replied_to_uid(event))))

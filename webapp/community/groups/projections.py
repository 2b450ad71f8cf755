"""Projections: members' own lists of groups, the list that all find, and posts of timelines.

All are safe to run twice.
"""

from collections.abc import Sequence
from itertools import chain

from webapp.core.events.outbox import MORE, Context, Event, more_after
from webapp.core.media import removal
from webapp.core.store import Command, listed_in, script
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility import keys as group_keys

from . import keys

PLACE = script("community/groups/lua/place.lua")
SYNC_MEMBER = script("community/groups/lua/sync_member.lua")
FORGET_MEMBER = script("community/groups/lua/forget_member.lua")
DIRECTORY_MAX = 1_000  # groups that are found
BATCH = 500  # members, or groups of a deleted account, in one slice


def keep_slugs(context: Context, events: Sequence[Event]) -> None:
    """Keep the addresses of new groups for good, if their makers' processes died. Two trips."""
    gids = [event.number("group") for event in events]
    slugs = context.db.trip(*(("HGET", group_keys.group(gid), "slug") for gid in gids))
    commands: list[Command] = []
    for event, slug in zip(events, slugs, strict=True):
        if slug:
            key, claim = keys.group_slug(slug), f"{event.data['group']}:{event.data['uids']}"
            commands += [("SET", key, claim, "NX"), ("PERSIST", key)]
    context.db.trip(*commands)


def sync_members(context: Context, events: Sequence[Event]) -> None:
    """Bring the own lists of members, and the list that all find, up to date. Two trips."""
    changed = [
        (event, event.number("group"), int(uid))
        for event in events
        for uid in event.data["uids"].split()
    ]
    gids = sorted({gid for _, gid, _ in changed})
    found = context.db.trip(
        *(("ZSCORE", group_keys.group_members(gid), uid) for _, gid, uid in changed),
        *(("ZCARD", group_keys.group_members(gid)) for gid in gids),
    )
    commands = [
        SYNC_MEMBER(event, uid=uid, gid=gid, joined="1" if joined else "")
        for (event, gid, uid), joined in zip(changed, found, strict=False)
    ]
    sizes = zip(gids, found[len(changed) :], strict=True)
    context.db.trip(*commands, *_directory_commands(dict(sizes)))


def forget_closed(context: Context, events: Sequence[Event]) -> None:
    """Free the addresses of closed groups, and take them off the list that all find. Two trips.

    An address that another group has since stays with that.
    """
    slugs = [keys.group_slug(event.data["slug"]) for event in events]
    claims = context.db.trip(*(("GET", slug) for slug in slugs))
    freed = [
        ("UNLINK", slug)
        for event, slug, claim in zip(events, slugs, claims, strict=True)
        if claim and claim.partition(":")[0] == event.data["group"]
    ]
    sizes = {event.number("group"): 0 for event in events}
    context.db.trip(*freed, *_directory_commands(sizes))


def remove_replaced_pictures(context: Context, events: Sequence[Event]) -> None:
    """Remove pictures that owners have replaced. One trip, none without."""
    replaced = [event for event in events if event.data.get("replaced")]
    gids = [event.number("group") for event in replaced]
    pictures = context.db.trip(*(("HGET", group_keys.group(gid), "picture") for gid in gids))
    for event, gid, picture in zip(replaced, gids, pictures, strict=True):
        used = [picture] if picture else []
        removal.sweep_folder(context.config, f"groups/{gid}", used, event.data["replaced"].split())


def remove_pictures(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove the pictures of a closed group."""
    folder = f"groups/{event.number('group')}"
    return MORE if removal.remove_some(context.config, folder) else None


def clear_memberships(context: Context, event: Event, _cursor: str) -> str | None:
    """Take a closed group off the lists of some of its members, but if it was made again."""
    gid = event.number("group")
    uids = context.db.run(("ZRANGE", keys.group_leaving(gid), 0, BATCH - 1))
    if uids:
        present = context.db.read(listed_in(group_keys.group_members(gid), uids))
        left = (int(uid) for uid in uids if uid not in present)
        context.db.trip(*(("ZREM", group_keys.groups(uid), gid) for uid in left))
        context.db.run(("ZREM", keys.group_leaving(gid), *uids))
    return more_after(uids, BATCH)


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> str | None:
    """Take a deleted account out of some of its groups, then erase its lists of them."""
    uid = event.number("uid")
    own, invited_to = group_keys.groups(uid), keys.invited_to(uid)
    gids, invited = context.db.trip(
        ("ZRANGE", own, 0, BATCH - 1), ("ZRANGE", invited_to, 0, BATCH - 1)
    )
    if gids or invited:
        left = sorted({*map(int, gids), *map(int, invited)})
        context.db.trip(*(FORGET_MEMBER(event, gid=gid, uid=uid) for gid in left))
        context.db.trip(("ZREM", own, *left), ("ZREM", invited_to, *left))
    return more_after(gids, BATCH)


def place_posts(context: Context, events: Sequence[Event]) -> None:
    """Add posts to the timelines of their groups, or remove deleted ones.

    Two trips, none without posts to groups. The script asks whether the author may still post.
    """
    posts = [
        (event, gid)
        for event in events
        if "group" in event.data and "ancestors" not in event.data  # a reply
        for gid in (event.number("group"), *map(int, event.data.get("more_groups", "").split()))
    ]
    if not posts:
        return
    exist = context.db.trip(
        *(("EXISTS", status_keys.status(event.number("id"))) for event, _ in posts)
    )
    context.db.trip(
        *(
            PLACE(
                event,
                gid=gid,
                id=event.number("id"),
                author=event.number("author"),
                exists="1" if exists else "",
                limit=context.config.group_posts_max,
            )
            for (event, gid), exists in zip(posts, exist, strict=True)
        )
    )


def _directory_commands(sizes: dict[int, int]) -> list[Command]:
    """Return the commands that list groups by their size, 0 for those that are gone."""
    directory = keys.group_directory()
    listed = chain(*((size, gid) for gid, size in sizes.items() if size))
    gone = [gid for gid, size in sizes.items() if not size]
    commands: list[Command] = [("ZREM", directory, *gone)] if gone else []
    if len(gone) < len(sizes):
        commands.append(("ZADD", directory, *listed))
        commands.append(("ZREMRANGEBYRANK", directory, 0, -DIRECTORY_MAX - 1))
    return commands

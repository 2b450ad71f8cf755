"""Projections: members' own lists of groups, the list that all find, and posts of timelines.

All are safe to run twice.
"""

from collections.abc import Sequence

from webapp.core.events.outbox import MORE, SYNC_ENTRY, Context, Event, more_after
from webapp.core.media import removal
from webapp.core.store import listed_in, script
from webapp.statuses import keys as status_keys
from webapp.statuses.visibility import keys as group_keys

from . import keys

SYNC_SLUG = script("community/groups/lua/sync_slug.lua")
PLACE = script("community/groups/lua/place.lua")
SYNC_MEMBER = script("community/groups/lua/sync_member.lua")
FORGET_MEMBER = script("community/groups/lua/forget_member.lua")
DIRECTORY_MAX = 1_000  # groups that are found
BATCH = 500  # members, or groups of a deleted account, in one slice


def sync_slugs(context: Context, events: Sequence[Event]) -> None:
    """Keep the addresses of new groups for good, and free those of closed ones. Two trips.

    An address that another group has stays with that.
    """
    gids = [event.number("group") for event in events]
    stored = context.db.trip_all(("HGET", group_keys.group(gid), "slug") for gid in gids)
    context.db.trip_all(
        SYNC_SLUG(event, slug=slug, gid=gid, uid=event.data.get("uids", ""), exists=now or "")
        for event, gid, now in zip(events, gids, stored, strict=True)
        if (slug := now or event.data.get("slug"))
    )


def sync_members(context: Context, events: Sequence[Event]) -> None:
    """Bring the own lists of members, and the list that all find, up to date. Two trips.

    A third if there are deleted accounts: they leave the group.
    """
    by_gid = {event.number("group"): event for event in events}
    changed = [
        (event, event.number("group"), int(uid))
        for event in events
        for uid in event.data.get("uids", "").split()
    ]
    found = context.db.trip(
        *(("ZSCORE", group_keys.group_members(gid), uid) for _, gid, uid in changed),
        *(("ZCARD", group_keys.group_members(gid)) for gid in by_gid),
    )
    commands = [
        SYNC_MEMBER(event, uid=uid, gid=gid, joined="1" if joined else "")
        for (event, gid, uid), joined in zip(changed, found, strict=False)
    ]
    directory = keys.group_directory()
    for (gid, event), size in zip(by_gid.items(), found[len(changed) :], strict=True):
        listed = {"entry": gid, "score": size or "", "limit": DIRECTORY_MAX}
        commands.append(SYNC_ENTRY(event, entries=directory, **listed))
    replies = context.db.trip(*commands)
    context.db.trip_all(
        FORGET_MEMBER(event, gid=gid, uid=uid)
        for (event, gid, uid), reply in zip(changed, replies, strict=False)
        if reply == -1
    )


def remove_replaced_pictures(context: Context, events: Sequence[Event]) -> None:
    """Remove pictures that owners have replaced. One trip, none without."""
    replaced = [event for event in events if event.data.get("replaced")]
    gids = [event.number("group") for event in replaced]
    pictures = context.db.trip_all(("HGET", group_keys.group(gid), "picture") for gid in gids)
    for event, gid, picture in zip(replaced, gids, pictures, strict=True):
        used = [picture] if picture else []
        removal.sweep_folder(context.config, f"groups/{gid}", used, event.data["replaced"].split())


def remove_pictures(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove some pictures of a closed group, but if it was made again. One trip."""
    gid = event.number("group")
    if context.db.run(("EXISTS", group_keys.group(gid))):
        return None
    return MORE if removal.remove_some(context.config, f"groups/{gid}") else None


def clear_memberships(context: Context, event: Event, _cursor: str) -> str | None:
    """Take a closed group off the lists of some of its members, but if it was made again."""
    gid = event.number("group")
    uids = context.db.run(("ZRANGE", keys.group_leaving(gid), 0, BATCH - 1))
    if uids:
        present = context.db.read(listed_in(group_keys.group_members(gid), uids))
        left = [group_keys.groups(int(uid)) for uid in uids if uid not in present]
        context.db.trip_all(SYNC_ENTRY(event, entries=key, entry=gid) for key in left)
        done = keys.group_leaving(gid)
        context.db.trip_all(SYNC_ENTRY(event, entries=done, entry=uid) for uid in uids)
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
        context.db.trip_all(FORGET_MEMBER(event, gid=gid, uid=uid) for gid in left)
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
    exist = context.db.trip_all(
        ("EXISTS", status_keys.status(event.number("id"))) for event, _ in posts
    )
    context.db.trip_all(
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

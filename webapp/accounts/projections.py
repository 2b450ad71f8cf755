"""Restrict and remove the pictures of changed accounts, and release logins."""

from collections.abc import Sequence

from webapp.core.events.outbox import MORE, Context, Event
from webapp.core.media import removal
from webapp.core.media.restrictions import MEMBER_FLAGS, set_member_flags
from webapp.core.store import Site, script
from webapp.core.store.schema import MemberKey

from . import keys

RESERVE_LOGIN = script("accounts/lua/reserve_login.lua")


def sync_picture_flags(context: Context, events: Sequence[Event]) -> None:
    """Restrict all pictures of protected and suspended members, and no longer those of others."""
    for uid in {event.number("uid") for event in events}:
        sync_member_flags(context, uid)


def sync_member_flags(site: Site, uid: int) -> None:
    """Restrict all pictures of a member if they are protected or suspended.

    Two trips; another for each change that comes before the files are written.
    """
    values, written = site.db.run(("HMGET", keys.user(uid), *MEMBER_FLAGS)), None
    while values != written:
        flags = [flag for flag, value in zip(MEMBER_FLAGS, values, strict=True) if value]
        set_member_flags(site.config, uid, flags)
        values, written = site.db.run(("HMGET", keys.user(uid), *MEMBER_FLAGS)), values


def remove_unused_pictures(context: Context, events: Sequence[Event]) -> None:
    """Remove pictures that members have replaced."""
    for event in events:
        uid = event.number("uid")
        current = context.db.run(("HMGET", keys.user(uid), "avatar", "header"))
        used = [picture for picture in current if picture]
        replaced = event.data.get("replaced", "").split()
        removal.sweep_folder(context.config, uid, used, replaced)


def purge_pictures(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove some pictures of a deleted account."""
    uid = event.number("uid")
    for folder in (uid, f"posts/{uid}"):
        if removal.remove_some(context.config, folder):
            return MORE
    set_member_flags(context.config, uid, ())
    return None


def purge_private_keys(context: Context, events: Sequence[Event]) -> None:
    """Remove the keys of deleted accounts that are declared private. One trip."""
    uids = [event.number("uid") for event in events]
    context.db.trip_all(("UNLINK", *(key(uid) for key in MemberKey.every_private)) for uid in uids)


def reserve_logins(context: Context, events: Sequence[Event]) -> None:
    """Reserve the logins of deleted accounts for NAME_KEPT_DAYS."""
    for event in events:
        _reserve(context, event.number("uid"), event.data["login"])


def reserve_former_logins(context: Context, events: Sequence[Event]) -> None:
    """Reserve the former logins of members for NAME_KEPT_DAYS, and keep those they took back.

    Three trips for each.
    """
    for event in events:
        uid, former = event.number("uid"), event.data.get("former", "")
        if former and (login := context.db.run(("HGET", keys.user(uid), "login"))) != former:
            _reserve(context, uid, former)
            if login:
                context.db.run(RESERVE_LOGIN(login=login, uid=uid, seconds=""))


def _reserve(context: Context, uid: int, login: str) -> None:
    seconds = context.config.name_kept_days * 86_400
    context.db.run(RESERVE_LOGIN(login=login, uid=uid, seconds=seconds))

"""Remove the pictures and release the logins of changed accounts."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.media import storage as media
from webapp.core.store.scripts import script

from . import keys

RESERVE_DELETED_LOGIN = script("accounts/lua/reserve_deleted_login.lua")


def remove_unused_pictures(context: Context, events: Sequence[Event]) -> None:
    """Remove pictures that members have replaced."""
    for event in events:
        uid = int(event.data["uid"])
        current = context.db.run(("HMGET", keys.user(uid), "avatar", "header"))
        used = [picture for picture in current if picture]
        replaced = event.data.get("replaced", "").split()
        media.sweep_folder(context.config, uid, used, replaced)


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Remove the pictures of deleted accounts, and reserve their logins for NAME_KEPT_DAYS."""
    seconds = context.config.name_kept_days * 86_400
    for event in events:
        uid, login = int(event.data["uid"]), event.data["login"]
        for folder in (uid, f"posts/{uid}"):
            media.remove_all(context.config, folder)
        context.db.run(RESERVE_DELETED_LOGIN(login=keys.login(login), uid=uid, seconds=seconds))

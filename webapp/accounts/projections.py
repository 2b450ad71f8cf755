"""What changes of an account leave to be done beside the store's partitions: pictures and names."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.media import storage as media
from webapp.core.store.scripts import script

from . import keys

RESERVE_DELETED_LOGIN = script("accounts/lua/reserve_deleted_login.lua")


def remove_unused_pictures(context: Context, events: Sequence[Event]) -> None:
    """Pictures that a member does not show any more are removed."""
    for event in events:
        uid = int(event.data["uid"])
        current = context.db.run(("HMGET", keys.user(uid), "avatar", "header"))
        media.sweep_folder(
            context.config,
            uid,
            [name for name in current if name],
            event.data.get("replaced", "").split(),
        )


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """What is left of deleted accounts goes; their logins are kept from others for NAME_KEPT_DAYS."""
    for event in events:
        uid, login = int(event.data["uid"]), event.data["login"]
        for folder in (uid, f"posts/{uid}"):
            media.remove_all(context.config, folder)
        context.db.run(
            RESERVE_DELETED_LOGIN([keys.login(login)], uid, context.config.name_kept_days * 86_400)
        )

"""What changes a member's standing: passwords, protection, rights, suspension, and the end of an account."""

from __future__ import annotations

from webapp.accounts.tokens import keys as token_keys
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.scripts import script
from webapp.pagecache import store as pagecache
from webapp.timelines import keys as timeline_keys

from . import keys
from .sessions.credentials import verify_password

SUSPEND = script("accounts/lua/suspend.lua")
PROTECT = script("accounts/lua/protect.lua")
REMOVE = script("accounts/lua/remove.lua")
GRANT = script("accounts/lua/grant.lua")
RIGHTS = ("firehose", "admin")
TOMBSTONE_MARGIN = 86_400  # seconds a deleted account's trace outlives its name, which it keeps from being taken over


def suspend(db: Db, config: Config, uid: int, suspended: bool = True) -> bool:
    """Suspends a member, or restores one; False when that is so already. Raises NotFound, Unavailable."""
    p = partition_of(uid)
    names = [
        keys.user(uid),
        keys.member_sessions(uid),
        keys.sessions(p),
        keys.session(uid, ""),
        event_keys.outbox(p),
    ]
    changed = bool(
        db.run(SUSPEND(names, uid, int(suspended), p, config.outbox_max, *request_id_args()))
    )
    pagecache.bump_versions(
        db, [uid]
    )  # at once, on pages kept for visitors too; the event does it again
    return changed


def protect(db: Db, config: Config, uid: int, protected: bool = True) -> bool:
    """Protects a member, whose statuses are for followers whom they accept from now on, or makes them public again;
    False when that is so already. Raises NotFound, Forbidden for a suspended member, Unavailable.
    """
    p = partition_of(uid)
    changed = bool(
        db.run(
            PROTECT(
                [keys.user(uid), event_keys.outbox(p)],
                uid,
                int(protected),
                p,
                config.outbox_max,
                *request_id_args(),
            )
        )
    )
    pagecache.bump_versions(db, [uid])
    return changed


def delete_account(db: Db, config: Config, uid: int, password: str | None) -> None:
    """Deletes an account: at once for everybody who looks, and what it owned by the worker. `password`: None for an
    operator. Raises Invalid when it is wrong, NotFound, Conflict, Unavailable.
    """
    password_hash = verify_password(db, config, uid, password) if password is not None else ""
    p = partition_of(uid)
    names = [
        *(
            keys.user(uid),
            keys.password(uid),
            keys.member_sessions(uid),
            keys.sessions(p),
            keys.session(uid, ""),
        ),
        *(
            token_keys.tokens(uid),
            token_keys.token(uid, ""),
            timeline_keys.active_members(p),
            timeline_keys.home(uid),
            event_keys.outbox(p),
        ),
        *(token_keys.apps(uid), token_keys.app(uid, "")),
    ]
    tombstone_ttl = config.name_kept_days * 86_400 + TOMBSTONE_MARGIN
    db.run(
        REMOVE(names, uid, password_hash, tombstone_ttl, p, config.outbox_max, *request_id_args())
    )
    pagecache.bump_versions(db, [uid])


def grant(db: Db, uid: int, right: str, granted: bool = True) -> tuple[str, ...]:
    """Gives a member one of RIGHTS, or takes it; returns all they have now. Raises NotFound."""
    return tuple(db.run(GRANT([keys.user(uid)], uid, right, int(granted))).split())


def rights(db: Db, uid: int) -> tuple[str, ...]:
    """What a member may do beyond others."""
    return tuple((db.run(("HGET", keys.user(uid), "rights")) or "").split())

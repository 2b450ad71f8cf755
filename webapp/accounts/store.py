"""Members: signing up, signing in, and finding them by name or id."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import request_id_args
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command, Read, failing, read
from webapp.core.store.scripts import script
from webapp.errors import Conflict, Forbidden, Invalid, NotFound, Refused, Unavailable
from webapp.statuses.visibility.quote_policy import QuotePolicy
from webapp.timelines import keys as timeline_keys

from . import invites, keys, passwords

CLAIM = script("accounts/lua/claim_login.lua")
CREATE = script("accounts/lua/create.lua")
RELEASE = script("accounts/lua/release_claim.lua")
REHASH = script("accounts/lua/rehash_password.lua")
LOGIN_PATTERN = re.compile(r"[A-Za-z0-9_]{1,15}\Z")
NO_UID = 0  # a member id never given out
INITIAL_EPOCH = "0"  # the epoch of an account whose password was never changed
MEMBER_FIELDS = ("login", "name", "joined", "avatar", "suspended", "bot", "quoting", "protected")


CACHE_BYTES = 4 * 1024 * 1024  # bytes of members that a process keeps as they were read


@dataclass(frozen=True, slots=True)
class Member:
    """A member as pages show them. `quoting`: who may quote what they write, unless a post says otherwise."""

    uid: int
    login: str
    name: str
    joined: datetime
    avatar: str = ""  # the name of a picture (media.py); empty: drawn from the uid
    suspended: bool = False
    bot_owner: int = 0  # the uid of the member whose bot this is; 0: a person
    quote_policy: QuotePolicy = QuotePolicy.EVERYONE
    protected: bool = False  # only followers whom they accept see what they write

    def __hash__(self) -> int:  # quick: members are part of keys
        return self.uid


def sign_up(
    db: Db, config: Config, login: str, name: str, password: str, invite: str | None = None
) -> Member:
    """Makes an account. The name is claimed first, then the account made in the member's partition: a crash between
    the two leaves a claim that anyone may take over after a minute; so it is with the place of an invitation, if one
    is given. Raises Conflict when the name is taken, Forbidden when the invitation is not valid, Unavailable.
    """
    owner_uid = _owner_uid(db.run(("GET", keys.login(login))))
    if owner_uid and db.run(("EXISTS", keys.user(owner_uid))):
        raise Conflict("taken")  # soon enough to save the work of hashing
    password_hash = passwords.hash_password(password, config.password_cost)
    uid = db.run(("INCR", keys.last_uid()))
    if invite is not None and not invites.redeem(db, invite, uid):
        raise Forbidden("invite_bad")
    try:
        return create_account(db, config, uid, login, name, password_hash)
    except Refused as refusal:
        # Certainly not made; a store that fell silent may have made it.
        if invite is not None and refusal.code != "store_down":
            invites.release(db, invite, uid)
        raise


def create_account(
    db: Db,
    config: Config,
    uid: int,
    login: str,
    name: str,
    password_hash: str,
    bot_owner: int = NO_UID,
) -> Member:
    """Makes the account of an id that was given out for it. `owner`: the member whose bot it is; a bot has no password
    and cannot sign in. Raises Conflict when the name is taken, Unavailable.
    """
    claim = _claim_login(db, login, uid)
    p = partition_of(uid)
    names = [
        keys.user(uid),
        keys.password(uid),
        timeline_keys.active_members(p),
        event_keys.outbox(p),
    ]
    claimed_at = claim.partition(":")[2]
    try:
        joined_ms = db.run(
            CREATE(
                names,
                uid,
                login,
                name,
                password_hash,
                claimed_at,
                p,
                config.outbox_max,
                *request_id_args(),
                bot_owner or "",
            )
        )
    except Unavailable as refusal:
        if refusal.code == "overloaded":  # certainly not made
            db.run(RELEASE([keys.login(login)], claim))
        raise
    return Member(uid, login, name, datetime_from_ms(joined_ms), bot_owner=bot_owner)


def sign_in(db: Db, config: Config, login: str, password: str) -> tuple[Member, str]:
    """The member of this name and password, and their epoch, which starting a session asks for. Raises Invalid, after
    the same work, for an unknown name and a wrong password; Forbidden when the member is suspended.
    """
    uid = NO_UID
    if LOGIN_PATTERN.match(login):
        uid = _owner_uid(db.run(("GET", keys.login(login)))) or NO_UID
    # The epoch is read first: a password that is changed in between does not fit it.
    fields, stored_hash = db.trip(
        ("HMGET", keys.user(uid), *MEMBER_FIELDS, "epoch"), ("GET", keys.password(uid))
    )
    password_ok = passwords.verify(stored_hash, password, config.password_cost)
    member = member_from(uid, fields)
    if not password_ok or member is None:
        raise Invalid("wrong_password")
    if member.suspended:
        raise Forbidden("suspended")
    if passwords.needs_rehash(stored_hash, config.password_cost):
        db.run(
            REHASH(
                [keys.password(uid)],
                stored_hash,
                passwords.hash_password(password, config.password_cost),
            )
        )
    return member, fields[-1] or INITIAL_EPOCH


def find_member(db: Db, login: str) -> Member:
    """The member of this name, in two trips. Raises NotFound."""
    return member_by_id(db, find_uid(db, login))


def find_uid(db: Db, login: str) -> int:
    """The id of this name's owner (whose account may not be finished yet). Raises NotFound."""
    return db.read(uid_of(login))


def uid_of(login: str) -> Read[int]:
    """Read the uid of a login's owner. Raises NotFound."""
    if not LOGIN_PATTERN.match(login):
        return failing(NotFound("no_member"))
    return read(("GET", keys.login(login)), _uid_from_claim)


def _uid_from_claim(claim: str | None) -> int:
    uid = _owner_uid(claim)
    if uid is None:
        raise NotFound("no_member")
    return uid


def find_members(db: Db, logins: Collection[str]) -> dict[str, Member]:
    """The members of these names, by name in lower case, without those who are none. Two trips, none without names."""
    lowered_logins = [login.lower() for login in logins if LOGIN_PATTERN.match(login)]
    uids = [
        _owner_uid(claim) or NO_UID
        for claim in db.trip(*(("GET", keys.login(name)) for name in lowered_logins))
    ]
    replies = db.trip(*(member_command(uid) for uid in uids if uid))
    members = iter(
        [member_from(uid, fields) for uid, fields in zip(filter(None, uids), replies, strict=True)]
    )
    pairs = [(name, next(members)) for name, uid in zip(lowered_logins, uids, strict=True) if uid]
    return {name: member for name, member in pairs if member}


def member_by_id(db: Db, uid: int) -> Member:
    """The member of this id. Raises NotFound."""
    member = member_from(uid, db.run(member_command(uid)))
    if member is None:
        raise NotFound("no_member")
    return member


def member_command(uid: int) -> Command:
    """The command whose reply `member_from` reads, to fetch members in a trip with other things."""
    return ("HMGET", keys.user(uid), *MEMBER_FIELDS)


def member_from(uid: int, fields: list[Any]) -> Member | None:
    """The member in a reply to `member_command`, or None when there is no account."""
    if not fields[0]:
        return None
    key = (uid, *fields[: len(MEMBER_FIELDS)])
    return _member_cache.get(key) or _member_cache.put(key, _build_member(*key))


def datetime_from_ms(ms: str) -> datetime:
    """The time written as unix milliseconds."""
    return datetime.fromtimestamp(int(ms) / 1000, UTC)


def _build_member(
    uid: int, login: str, name: str, joined: str, avatar: str | None, *flags: str | None
) -> Member:
    suspended, bot, quote_policy, protected = flags
    optional_fields = (
        avatar or "",
        bool(suspended),
        int(bot or 0),
        QuotePolicy(quote_policy or ""),
        bool(protected),
    )
    return Member(uid, login, name, datetime_from_ms(joined), *optional_fields)


def _claim_login(db: Db, login: str, uid: int) -> str:
    """Claims the name for `uid`; returns the claim, `uid:unix ms`. Raises Conflict when it belongs to somebody."""
    key = keys.login(login)
    claimed, claim, *previous = db.run(CLAIM([key], uid, ""))
    if (
        not claimed
        and previous[0]
        and not db.run(("EXISTS", keys.user(_owner_uid(claim) or NO_UID)))
    ):
        claimed, claim, *_ = db.run(CLAIM([key], uid, claim))
    if not claimed:
        raise Conflict("taken")
    return str(claim)


def _owner_uid(claim: str | None) -> int | None:
    return int(claim.partition(":")[0]) if claim else None


# By what the store says of them: a page reads the same few again and again.
_member_cache: BoundedCache[Member] = BoundedCache(
    CACHE_BYTES, lambda member: 1_500 + 4 * len(member.name)
)

"""Which members want a weekly digest, and the token with which a mail ends it."""

import time
from collections.abc import Mapping, Sequence
from hashlib import sha256

from itsdangerous import BadSignature, Signer

from webapp.accounts.store import NO_UID
from webapp.config import Config
from webapp.core.net.encryption import accepted_keys
from webapp.core.store import Db, Read, Site, parse_id, read, script
from webapp.mail.queue import NOTICE_MS, mail_arguments

from . import keys

QUEUE_DIGEST = script("accounts/email/lua/queue_digest.lua")
WEEK = 7 * 86_400  # seconds between two digests


def wants_digest(uid: int) -> Read[bool]:
    """Read whether a member wants a weekly digest."""
    return read(("ZSCORE", keys.digests(uid), uid), lambda due: due is not None)


def switch(db: Db, uid: int, is_on: bool) -> None:
    """Begin or end the digests of a member. The first comes after a week. One trip."""
    if is_on:
        db.run(("ZADD", keys.digests(uid), "NX", int(time.time()) + WEEK, uid))
    else:
        db.run(("ZREM", keys.digests(uid), uid))


def due_members(partition: int, count: int) -> Read[list[tuple[int, float]]]:
    """Read the members of a partition whose digests are due, and when they were, oldest first."""
    key, now = keys.digests(partition), int(time.time())
    command = ("ZRANGE", key, "-inf", now, "BYSCORE", "LIMIT", 0, count, "WITHSCORES")
    return read(
        command,
        lambda row: [(int(uid), float(due)) for uid, due in zip(row[::2], row[1::2], strict=True)],
    )


def queue_digest(
    site: Site, uid: int, due: float, posts: Sequence[Mapping[str, str | int]]
) -> None:
    """Queue a member's digest, if there are posts to tell. One trip; safe to repeat.

    `posts`: each with `name`, `login`, `text` and `path`.
    """
    values = {"posts": posts, "token": unsubscribe_token(site.config, uid)}
    arguments = mail_arguments(site.config, "digest", values)
    if not posts:
        arguments["content"] = ""
    next_due = int(time.time()) + WEEK
    site.run(QUEUE_DIGEST, uid=uid, due=due, next_due=next_due, life=NOTICE_MS, **arguments)


def unsubscribe_token(config: Config, uid: int) -> str:
    """Return the token that ends a member's digests, and does nothing else."""
    return _signer(config).sign(str(uid)).decode()


def uid_of_token(config: Config, token: str) -> int:
    """Return the member of a token, NO_UID for one that the site did not make."""
    try:
        return parse_id(_signer(config).unsign(token.encode("utf-8", "replace")).decode()) or NO_UID
    except BadSignature:
        return NO_UID


def _signer(config: Config) -> Signer:
    return Signer(
        accepted_keys(config), b"linnet digest", key_derivation="hmac", digest_method=sha256
    )

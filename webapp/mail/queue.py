"""The queue of mails, claimed under a lease as deliveries to webhooks are: at least once.

A mail keeps its Message-ID, so that a mailbox shows which one came twice.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import orjson

from webapp.config import Config
from webapp.core.net.encryption import seal, unseal
from webapp.core.store import PARTITIONS, Db, Read, collect, read, script

from . import keys
from .letters import KINDS

CLAIM = script("mail/lua/claim_mail.lua")
FINISH = script("mail/lua/finish_mail.lua")
MAILS_WAITING_MAX = 1_000  # of a partition's members
PARKED_MAX = 20  # mails of a partition that were given up
NOTICE_MS = 3 * 86_400_000  # how long a notice may wait
LEASE_MS = 120_000  # longer than sending a mail takes
LOWER_EVERY = 5  # of so many claims, one begins with the least urgent class
PURPOSE = "mail"  # of sealing

_claims = count(1)


@dataclass(frozen=True, slots=True)
class Mail:
    """A claimed mail. `values` are those of its kind, None if another SECRET_KEY sealed them."""

    name: str
    uid: int
    to: str = field(repr=False)
    kind: str
    values: dict[str, Any] | None = field(repr=False)
    tries: int
    lease_expires: str


def mail_arguments(config: Config, kind: str, values: Mapping[str, Any]) -> dict[str, str | int]:
    """Return the arguments of a script that queues a mail of a kind (`queue_mail.lua`)."""
    return {
        "mail": f"{KINDS[kind].urgency}{secrets.token_hex(12)}",
        "content": seal(config, PURPOSE, orjson.dumps((kind, values)).decode()),
        "waiting_max": MAILS_WAITING_MAX,
    }


def claim(db: Db, config: Config, partition: int) -> list[Mail]:
    """Claim a due mail of a partition's members. Return it, or nothing. One trip."""
    lower_first = int(next(_claims) % LOWER_EVERY == 0)
    command = CLAIM(
        partition=partition,
        waiting_max=MAILS_WAITING_MAX,
        lease=LEASE_MS,
        lower_first=lower_first,
    )
    row = db.run(command)
    if not row:
        return []
    name, uid, to, content, tries, lease_expires = row
    opened = unseal(config, PURPOSE, content)
    kind, values = orjson.loads(opened) if opened else ("", None)
    return [Mail(name, int(uid), to, kind, values, int(tries), lease_expires)]


def finish(db: Db, mail: Mail, outcome: str, delay_ms: int = 0, error: str = "") -> None:
    """Note how sending a mail went: done, again (after a delay) or parked. One trip."""
    entry = {"mail": mail.name, "uid": mail.uid, "error": error, "at": int(time.time() * 1000)}
    command = FINISH(
        partition=mail.uid,
        name=mail.name,
        lease_expires=mail.lease_expires,
        outcome=outcome,
        delay=delay_ms,
        parked_entry=orjson.dumps(entry).decode(),
        parked_max=PARKED_MAX,
    )
    db.run(command)


def parked(since_ms: int = 0) -> Read[list[str]]:
    """Read a line about each mail of the site that was given up since then: its uid, the error."""
    lists = (read(("LRANGE", keys.parked_mails(one), 0, -1), list) for one in range(PARTITIONS))

    def parse(found: list[list[str]]) -> list[str]:
        mails = (orjson.loads(entry) for entries in found for entry in entries)
        return [f"uid {mail['uid']}: {mail['error']}" for mail in mails if mail["at"] >= since_ms]

    return collect(lists).map(parse)

"""A member's passkeys: adding, listing, removing them, and signing in with one."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webapp.accounts.member import Member, datetime_from_seconds
from webapp.accounts.sessions.devices import NO_DEVICE, Device
from webapp.accounts.store import get
from webapp.core.errors import Invalid
from webapp.core.metrics.names import SIGNINS
from webapp.core.metrics.recorder import count
from webapp.core.store import Read, Site, read, script, to_dict

from . import ceremonies, keys
from .ceremonies import RelyingParty

ADD = script("accounts/passkeys/lua/add.lua")
REMOVE = script("accounts/passkeys/lua/remove.lua")
USE = script("accounts/passkeys/lua/use.lua")
CHALLENGE_SECONDS = 300
ENTER = "enter"  # the purpose of a challenge: signing in


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey as its owner sees it listed. `id` names it and opens nothing."""

    id: str
    name: str
    created: datetime
    used: datetime | None


def passkeys(uid: int) -> Read[list[Passkey]]:
    """Read a member's passkeys, newest first."""

    def parse(flat: Sequence[str]) -> list[Passkey]:
        found = [_parse(*one) for one in to_dict(flat).items()]
        return sorted(found, key=lambda passkey: passkey.created, reverse=True)

    return read(("HGETALL", keys.passkeys(uid)), parse)


def begin_registration(site: Site, party: RelyingParty, member: Member) -> str:
    """Return the options with which a browser makes a passkey for a member, as JSON. Two trips."""
    ids = site.db.run(("HKEYS", keys.passkeys(member.uid)))
    challenge = _new_challenge(site, f"register {member.uid}")
    return ceremonies.registration_options(party, member, challenge, ids)


def add(
    site: Site,
    party: RelyingParty,
    uid: int,
    name: str,
    answer: str,
    session_sha: str,
    agent: str = "",
) -> None:
    """Store the passkey that a browser has made. Up to two trips. `agent`: `Device.note`.

    Raises Invalid for an answer that does not fit; Conflict at PASSKEYS_MAX, for a passkey that is
    stored already, and if the session has ended; NotFound, Forbidden.
    """
    made = ceremonies.parse_answer(answer)
    if site.db.run(("GETDEL", _challenge_key(made.challenge))) != f"register {uid}":
        raise Invalid("wrong_passkey")
    id_, key, signed = ceremonies.verify_registration(party, made)
    stored = {"name": name, "key": key, "count": signed, "created": int(time.time()), "used": 0}
    site.run(
        ADD,
        uid=uid,
        id=id_,
        packed=json.dumps(stored),
        session_sha=session_sha,
        agent=agent,
    )


def remove(site: Site, uid: int, id_: str, agent: str = "") -> bool:
    """Remove a member's passkey. Return False if they have no such passkey. One trip."""
    return bool(site.run(REMOVE, uid=uid, id=id_, agent=agent))


def begin_sign_in(site: Site, party: RelyingParty) -> str:
    """Return the options with which a browser uses a passkey of this site, as JSON. One trip."""
    return ceremonies.authentication_options(party, _new_challenge(site, ENTER))


def sign_in(
    site: Site, party: RelyingParty, answer: str, device: Device = NO_DEVICE
) -> tuple[Member, str]:
    """Return the member whose passkey a browser has used, and their epoch. Up to two trips.

    Raises Invalid for an answer that does not fit, and for a passkey that may have been copied;
    Forbidden for a suspended member.
    """
    used = ceremonies.parse_answer(answer)
    uid, id_ = used.uid, used.id
    purpose, member, packed = site.db.fetch(
        read(("GETDEL", _challenge_key(used.challenge)), lambda found: found),
        get(uid),
        read(("HGET", keys.passkeys(uid), id_), lambda found: found),
    )
    if purpose != ENTER or member is None or not packed:
        raise Invalid("wrong_passkey")
    signed = ceremonies.verify_use(party, used, json.loads(packed)["key"])
    outcome, epoch = site.run(USE, uid=uid, id=id_, count=signed, agent=device.note)
    if outcome != "right":
        raise Invalid("copied_passkey" if outcome == "copied" else "wrong_passkey")
    count(SIGNINS)
    return member, epoch


def _new_challenge(site: Site, purpose: str) -> bytes:
    challenge = secrets.token_bytes(32)
    site.db.run(("SET", _challenge_key(challenge), purpose, "EX", CHALLENGE_SECONDS))
    return challenge


def _challenge_key(challenge: bytes) -> str:
    return keys.passkey_challenge(hashlib.sha256(challenge).hexdigest())


def _parse(id_: str, packed: str) -> Passkey:
    fields = json.loads(packed)
    used = datetime_from_seconds(fields["used"]) if fields["used"] else None
    return Passkey(id_, fields["name"], datetime_from_seconds(fields["created"]), used)

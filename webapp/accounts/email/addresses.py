"""The e-mail addresses of members. One address belongs to one account, once it is verified."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import orjson

from webapp.accounts.registration import RELEASE, claim_key
from webapp.accounts.store import NO_UID, claimed_uid, uid_of_claim
from webapp.config import Config
from webapp.core.errors import Conflict
from webapp.core.events.outbox import Context, Event
from webapp.core.i18n.preferences import language
from webapp.core.store import Read, Site, read, script
from webapp.mail.queue import NOTICE_MS, mail_arguments

from . import keys
from .secrets import VERIFY, use

QUEUE_NOTICE = script("accounts/email/lua/queue_notice.lua")
SET_ADDRESS = script("accounts/email/lua/set_address.lua")
ADDRESS_PATTERN = re.compile(
    r"[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}\Z"
)
ADDRESS_MAX = 254  # characters (RFC 5321)


@dataclass(frozen=True, slots=True)
class Addresses:
    """A member's verified address, and one that waits to be verified; "" for none."""

    verified: str = field(repr=False)
    pending: str = field(repr=False)


def clean_address(text: str) -> str:
    """Return an address in lower case, "" if it cannot be one."""
    address = text.strip().lower()
    is_valid = len(address) <= ADDRESS_MAX and address.isascii() and ADDRESS_PATTERN.match(address)
    return address if is_valid else ""


def typed_name(text: str) -> str:
    """Return a typed login or address in its only spelling, for limits and for `find_member`."""
    return text.strip().removeprefix("@").strip().lower()


def addresses(uid: int) -> Read[Addresses]:
    """Read a member's addresses."""
    command = ("HMGET", keys.email(uid), "address", "pending")
    return read(command, lambda row: Addresses(row[0] or "", row[1] or ""))


def find_member(site: Site, name: str) -> tuple[int, str]:
    """Return the uid that has claimed a login or an address, and the address if it is one.

    `name`: of `typed_name`. NO_UID if there is none. One trip, with the same work for both.
    """
    if address := clean_address(name):
        claim = read(("GET", _key(address)), uid_of_claim)
        return site.db.read(claim) or NO_UID, address
    return site.db.read(claimed_uid(name)) or NO_UID, ""


def verify(site: Site, uid: int, code: str, agent: str) -> None:
    """Make the pending address the member's, with the code that was sent to it.

    The old one gets a notice. `agent`: `Device.note`. Up to six trips. Raises Invalid, Conflict if
    it is another's.
    """
    address = use(site, uid, VERIFY, code)
    key = _key(address)

    def is_used(owner: int) -> bool:
        return owner != uid and site.db.read(addresses(owner)).verified == address

    try:
        claim = claim_key(site.db, key, uid, is_used)
    except Conflict:
        raise Conflict("address_taken") from None
    _set(site, uid, address, claim, agent)


def remove(site: Site, uid: int, agent: str) -> None:
    """Remove a member's addresses, and tell the verified one. Two trips."""
    _set(site, uid, "", "", agent)


def notify(site: Site, uid: int, kind: str, **values: str) -> None:
    """Send a notice to a member who has a verified address. One trip, none without mail."""
    if packed := notice(site.config, kind, **values):
        site.run(QUEUE_NOTICE, uid=uid, notice=packed)


def application(reason: str, address: str) -> dict[str, str]:
    """Return the fields of an application: its reason, and where the mail of acceptance goes.

    An address that cannot be used is left out.
    """
    cleaned = clean_address(address)
    told = {"applied": cleaned, "applied_language": language().code} if cleaned else {}
    return {"waiting": reason, **told}


def acceptance(site: Site, uid: int) -> str:
    """Return the notice to an applicant who left an address, "" for others. One trip."""
    applied = site.db.run(("HGET", keys.email(uid), "applied_language"))
    return notice(site.config, "accepted", language=applied) if applied else ""


def notice(config: Config, kind: str, **values: str) -> str:
    """Return a notice for a script that queues it, in one line; "" without mail."""
    if not config.has_mail:
        return ""
    arguments = mail_arguments(config, kind, {"language": language().code, **values})
    return orjson.dumps({**arguments, "life": NOTICE_MS}).decode()


def purge_deleted_account(context: Context, events: Sequence[Event]) -> None:
    """Free the addresses of deleted accounts, and end their digests. Two trips each."""
    for event in events:
        uid = event.number("uid")
        (address, claim), _ = context.db.trip(
            ("HMGET", keys.email(uid), "address", "claim"), ("ZREM", keys.digests(uid), uid)
        )
        if address:
            context.db.run(RELEASE(login=_key(address), claim=claim))


def _set(site: Site, uid: int, address: str, claim: str, agent: str) -> None:
    arguments = mail_arguments(site.config, "address_changed", {"language": language().code})
    old, old_claim = site.run(
        SET_ADDRESS,
        uid=uid,
        address=address,
        claim=claim,
        life=NOTICE_MS,
        agent=agent,
        **arguments,
    )
    if old:
        site.db.run(RELEASE(login=_key(old), claim=old_claim))


def _key(address: str) -> str:
    return keys.address(sha256(address.encode()).hexdigest())

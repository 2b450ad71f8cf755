"""Rules about single keys: the counts of a status, logins and accounts, and bounds."""

import time
from collections.abc import Sequence
from typing import Any

from webapp.accounts import keys as accounts
from webapp.accounts.registration import CLAIM, RELEASE
from webapp.accounts.store import uid_of_claim
from webapp.admin.key_report.declared import kind_of
from webapp.admin.key_report.walk import LENGTHS
from webapp.core.store import Read, Site, collect, script
from webapp.statuses import keys as statuses
from webapp.statuses.interactions import keys as interactions
from webapp.statuses.threads import keys as threads

from .rule import Entry, Fault, Rule, ask_each

RECOUNT = script("admin/verify/lua/recount.lua")
CLAIM_SECONDS = 60  # for which a login may be claimed without an account


def past_bounds(site: Site, entries: Sequence[Entry]) -> list[Fault]:
    """Return the collections that hold more than twice what their declaration allows."""
    found = [(entry, kind_of(entry.name).length_max(site.config)) for entry in entries]
    bounded = [(entry, bound) for entry, bound in found if bound is not None]
    types = site.db.trip_all(("TYPE", entry.name) for entry, _ in bounded)
    reads = [
        (LENGTHS[type], entry.name) if type in LENGTHS else None
        for (entry, _), type in zip(bounded, types, strict=True)
    ]
    return [
        Fault(entry, f"{entry.name} holds {length:,}, of {bound:,} at most")
        for (entry, bound), length in zip(bounded, ask_each(site.db, reads), strict=True)
        if length and length > 2 * bound
    ]


def _wrong_counts(site: Site, entries: Sequence[Entry]) -> list[Fault]:
    """Return the statuses whose counts are not those of their lists."""
    found = site.db.read(collect(map(_counts, entries)))
    suspects = [
        (entry, author, [int(text or 0) for text in shown], counts)
        for entry, ((author, *shown), *counts) in zip(entries, found, strict=True)
        if author and [int(text or 0) for text in shown] != counts[:3]
    ]
    users = [accounts.user(int(author)) for _, author, *_ in suspects]
    protected = site.db.trip_all(("HEXISTS", user, "protected") for user in users)
    faults = []
    for (entry, author, shown, counts), is_protected in zip(suspects, protected, strict=True):
        # Replies for followers count while the author is protected.
        true = [*counts[:2], counts[3] if is_protected else counts[2]]
        if shown != true:
            text = f"{entry.name} shows {shown} likes, boosts and replies; there are {true}"
            faults.append(Fault(entry, text, RECOUNT(id=entry.owner, author=int(author))))
    return faults


def _counts(entry: Entry) -> Read[list[Any]]:
    replies = threads.replies(entry.owner)
    commands = (
        ("HMGET", entry.name, "author", "likes", "boosts", "replies"),
        ("ZCARD", interactions.likers(entry.owner)),
        ("ZCARD", interactions.boosters(entry.owner)),
        ("ZCOUNT", replies, 0, "+inf"),
        ("ZCARD", replies),
    )
    return Read(commands, list)


def _logins_without_account(site: Site, entries: Sequence[Entry]) -> list[Fault]:
    """Return the claims without an account, unless they are new or end by themselves.

    The worker reserves the login of a deleted account at the end of its deletion.
    """
    found = site.db.read(
        collect(Read((("GET", one.name), ("PTTL", one.name)), list) for one in entries)
    )
    claims = [claim if claim and ttl < 0 and _is_old(claim) else "" for claim, ttl in found]
    fields = ("login", "former_login", "removed")
    users = [accounts.user(uid_of_claim(claim) or 0) if claim else "" for claim in claims]
    accounts_of = ask_each(site.db, [("HMGET", user, *fields) if user else None for user in users])
    return [
        Fault(
            entry,
            f"{entry.name} is claimed by {claim}, who has no such account",
            RELEASE(login=entry.name, claim=claim),
        )
        for entry, claim, account in zip(entries, claims, accounts_of, strict=True)
        if claim and not _holds(account, entry.name)
    ]


def _holds(account: Sequence[str | None], name: str) -> bool:
    """Return True if the key `name` is of a login that an account has or had, or is deleted."""
    *logins, removed = account
    return bool(removed) or name in (accounts.login(login or "") for login in logins)


def _is_old(claim: str) -> bool:
    return time.time() - int(claim.partition(":")[2]) / 1000 > CLAIM_SECONDS


def _accounts_without_login(site: Site, entries: Sequence[Entry]) -> list[Fault]:
    """Return the accounts that their login does not lead to."""
    names = site.db.trip_all(("HGET", entry.name, "login") for entry in entries)
    logins = [accounts.login(name) if name else "" for name in names]
    claims = ask_each(site.db, [("GET", login) if login else None for login in logins])
    return [
        Fault(
            entry,
            f"{entry.name} has {login}, which is {claim or 'free'}",
            None if claim else CLAIM(login=login, uid=entry.owner, old_claim=""),
        )
        for entry, login, claim in zip(entries, logins, claims, strict=True)
        if login and uid_of_claim(claim) != entry.owner
    ]


RULES = (
    Rule(statuses.status, _wrong_counts),
    Rule(accounts.login, _logins_without_account),
    Rule(accounts.user, _accounts_without_login),
)

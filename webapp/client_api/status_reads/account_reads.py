"""Accounts, which show a protected member's number of posts to followers alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from webapp.client_api.callers import viewer_uid
from webapp.client_api.entities.account import Account, account
from webapp.client_api.http.responses import site_address
from webapp.core.store.reads import Read, collect, gather
from webapp.following.profiles import Profile, profile

from .follows import followed_among


@dataclass(frozen=True, slots=True)
class Accounts:
    """Members as accounts, by uid: as everybody sees them, and protected ones in full."""

    public: dict[int, Account]
    protected: dict[int, Account]

    def seen_by(self, viewer: int | None, follows: Collection[int]) -> dict[int, Account]:
        """Return the accounts as a reader sees them. `follows`: whom the reader follows."""
        shown = {uid: one for uid, one in self.protected.items() if uid == viewer or uid in follows}
        return self.public | shown if shown else self.public


def read_accounts(uids: Iterable[int]) -> Read[Accounts]:
    """Read members as accounts. Those that are gone or suspended are left out."""
    base = site_address()

    def build(profiles: list[Profile | None]) -> Accounts:
        known = {one.member.uid: one for one in profiles if one and not one.member.suspended}
        return Accounts(
            {uid: account(one, base, False) for uid, one in known.items()},
            {uid: account(one, base, True) for uid, one in known.items() if one.member.protected},
        )

    return collect(map(profile, dict.fromkeys(uids))).map(build)


def accounts_of(uids: Iterable[int]) -> Read[dict[int, Account]]:
    """Read members as the caller sees them, by uid. Those gone or suspended are left out."""
    wanted, viewer = list(dict.fromkeys(uids)), viewer_uid()
    return gather(read_accounts(wanted), followed_among(viewer, wanted)).map(
        lambda found: found[0].seen_by(viewer, found[1])
    )

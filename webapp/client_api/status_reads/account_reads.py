"""Accounts, which show a protected member's number of posts to followers alone.

Many pages of statuses name the same ones, so a process keeps those that it read a moment ago.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from webapp.accounts import store as accounts
from webapp.client_api.entities.account import Account, account
from webapp.client_api.http.responses import site_host
from webapp.core.store import Read, collect, gather
from webapp.core.store.caches.process_cache import ProcessCache
from webapp.core.web import config, db, site_address, viewer_uid
from webapp.following.profiles import Profile, profile
from webapp.following.relations import followed_among

_accounts = ProcessCache[tuple[int, str], Account](5_000)  # by uid and the site's address


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


def accounts_seen_by(
    viewers: Sequence[int | None], uids: Iterable[int]
) -> Read[list[dict[int, Account]]]:
    """Read members as each reader sees them, by uid. Those gone or suspended are left out."""
    wanted = list(dict.fromkeys(uids))
    follows = collect(followed_among(viewer, wanted) for viewer in viewers)
    return gather(read_accounts(wanted), follows).map(
        lambda found: list(map(found[0].seen_by, viewers, found[1]))
    )


def accounts_of(uids: Iterable[int]) -> Read[dict[int, Account]]:
    """Read members as the caller sees them, by uid. Those gone or suspended are left out."""
    return accounts_seen_by([viewer_uid()], uids).map(lambda found: found[0])


def listed_accounts(uids: Iterable[int]) -> list[Account]:
    """Return members as the caller sees them, without those gone or suspended. One trip."""
    return list(db().read(accounts_of(uids)).values())


def login_of(uid: int) -> str:
    """Return the login of a member. One trip. Raises NotFound."""
    return db().read(accounts.get_or_404(uid)).login


def name_here(handle: str) -> str | None:
    """Return the name in a handle such as `@name@host`, None for a handle of another site."""
    name, _, host = handle.strip().removeprefix("@").partition("@")
    is_here = not host or host.lower() == site_host().lower()
    return name if is_here else None


def recent_accounts(uids: Iterable[int], fresh: Collection[int | None]) -> Read[Accounts]:
    """Read accounts, except those that this process read within `status_seconds`.

    Protected ones are always read, and so are those in `fresh`.
    """
    base, max_age, wanted = site_address(), config().status_seconds, dict.fromkeys(uids)
    asked = ((uid, base) for uid in wanted if uid not in fresh)
    recent = {uid: one for (uid, _), one in _accounts.get(db(), asked, max_age).items()}

    def remember(loaded: Accounts) -> Accounts:
        public = {
            (uid, base): one for uid, one in loaded.public.items() if uid not in loaded.protected
        }
        _accounts.put(db(), public, max_age)
        return Accounts(recent | loaded.public, loaded.protected)

    return read_accounts(uid for uid in wanted if uid not in recent).map(remember)

"""Accounts that are read again only after a moment."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.client_api.recent_accounts import recent_accounts

from tests.conftest import People
from webapp.accounts import lifecycle, profile
from webapp.client_api.entities.account import Account, account
from webapp.core.site import Site
from webapp.core.store.reads import Read, collect
from webapp.following.profiles import profile as read_profile

BASE = "https://site.example"


def names(site: Site, uids: list[int], max_age: float) -> dict[int, str]:
    """Return the names of accounts that were read within `max_age` seconds, or are read now."""

    def load(wanted: Iterable[int]) -> Read[dict[int, Account]]:
        found = collect(map(read_profile, wanted))
        return found.map(lambda some: {one.member.uid: account(one, BASE) for one in some if one})

    found = site.db.read(recent_accounts(site.db, uids, BASE, max_age, load))
    return {uid: one.display_name for uid, one in found.items()}


def test_an_account_is_read_again_after_a_moment(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    lifecycle.protect(site, ben)
    assert names(site, [ann, ben], 60) == {ann: "Ann", ben: "Ben"}
    for uid in (ann, ben):
        profile.edit(site, uid, {"name": "New"})
    assert names(site, [ann, ben], 60) == {ann: "Ann", ben: "New"}  # ben is protected
    assert names(site, [ann, ben], 0) == {ann: "New", ben: "New"}

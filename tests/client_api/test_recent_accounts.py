"""Accounts that are read again only after a moment."""

from dataclasses import replace

from flask import Flask

from tests.conftest import SignUp
from webapp.accounts import lifecycle, profile
from webapp.client_api.status_reads.account_reads import recent_accounts
from webapp.config import Config
from webapp.core.store import Site


def names(app: Flask, *fresh: int) -> dict[int, str]:
    """Return the names of the first two members, as a process may show them."""
    with app.test_request_context():
        found = app.extensions["linnet.db"].read(recent_accounts([1, 2], fresh))
    return {uid: one.display_name for uid, one in found.public.items()}


def test_an_account_is_read_again_after_a_moment(
    settings: Config, app: Flask, member: SignUp
) -> None:
    member("ann"), member("ben")
    site = Site(app.extensions["linnet.db"], replace(settings, status_seconds=60))
    app.extensions["linnet.config"] = site.config
    lifecycle.protect(site, 2)
    assert names(app) == {1: "Ann", 2: "Ben"}
    for uid in (1, 2):
        profile.edit(site, uid, {"name": "New"})
    assert names(app) == {1: "Ann", 2: "New"}  # ben is protected
    assert names(app, 1) == {1: "New", 2: "New"}

"""The upgrade that notes which stored pictures are restricted."""

from __future__ import annotations

import shutil

from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.pages import join
from tests.support.statuses.picture_pages import addresses, bare, opens, post
from tests.support.statuses.pictures import photo
from tests.support.upgrades import run_upgrade
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.site import Site

ANN, BEN = 1, 2


def test_it_restricts_what_the_store_says_and_nothing_else(
    app: Flask, client: FlaskClient, settings: Config
) -> None:
    db = app.extensions["linnet.db"]
    ann, ben, cat = (join(app, login) for login in ("ann", "ben", "cat"))
    for visibility in ("public", "followers", "mentioned"):
        post(ann, (photo(), visibility), visibility=visibility)
    for member in (ben, cat):
        post(member, (photo(), ""))
    anns, [bens], [cats] = addresses(ann), addresses(ben, "/@ben"), addresses(cat, "/@cat")
    lifecycle.protect(Site(db, settings), BEN)
    worker.drain(Site(db, settings))
    restricted = [address for address in anns if address != bare(address)]
    before = sorted(path for path in settings.media_path.rglob("*") if path.is_file())
    for path in settings.media_path.rglob("*.restricted"):
        path.unlink()
    shutil.rmtree(settings.media_path / "members")
    assert all(opens(client, *map(bare, anns), bens, cats))  # as before an upgrade
    for _ in range(2):
        run_upgrade(Site(db, settings), "pictures")
    assert sorted(path for path in settings.media_path.rglob("*") if path.is_file()) == before
    assert not any(opens(client, *map(bare, restricted), bens)) and len(restricted) == 2
    assert all(opens(ann, *anns)) and opens(client, cats) == [True]

"""The upgrade that notes which stored pictures are restricted."""

import shutil

from tests.support.pages import join
from tests.support.statuses.picture_pages import addresses, bare, opens, post
from tests.support.statuses.pictures import photo
from tests.support.upgrades import run_upgrade
from tests.support.world import Web, World

ANN, BEN = 1, 2


def test_it_restricts_what_the_store_says_and_nothing_else(web: Web) -> None:
    ann, ben, cat = (join(web.app, login) for login in ("ann", "ben", "cat"))
    for visibility in ("public", "followers", "mentioned"):
        post(ann, (photo(), visibility), visibility=visibility)
    for member in (ben, cat):
        post(member, (photo(), ""))
    anns, [bens], [cats] = addresses(ann), addresses(ben, "/@ben"), addresses(cat, "/@cat")
    web.do(World.protect, BEN)
    restricted = [address for address in anns if address != bare(address)]
    before = sorted(path for path in web.config.media_path.rglob("*") if path.is_file())
    for path in web.config.media_path.rglob("*.restricted"):
        path.unlink()
    shutil.rmtree(web.config.media_path / "members")
    assert all(opens(web.client, *map(bare, anns), bens, cats))  # as before an upgrade
    for _ in range(2):
        run_upgrade(web, "pictures")
    assert sorted(path for path in web.config.media_path.rglob("*") if path.is_file()) == before
    assert not any(opens(web.client, *map(bare, restricted), bens)) and len(restricted) == 2
    assert all(opens(ann, *anns)) and opens(web.client, cats) == [True]

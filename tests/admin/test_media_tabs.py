"""The upgrade that lists the posts with pictures from before the media tabs existed."""

import pytest

from tests.support.pages import join, post_status
from tests.support.statuses.picture_pages import post
from tests.support.statuses.pictures import photo
from tests.support.upgrades import run_upgrade
from tests.support.world import Web
from webapp.accounts.store import get_by_login
from webapp.statuses import keys, store


def test_it_lists_what_was_posted_with_pictures_and_nothing_else(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "INDEX_SLICE", 2)
    ann, ben = join(web.app, "ann"), join(web.app, "ben")
    bens = post_status(ben, "a song")
    for visibility in ("public", "unlisted", "followers", "mentioned"):
        post(ann, (photo(), visibility), visibility=visibility)
        post_status(ann, "without a picture")
    post(ann, (photo(), "a reply"), reply=str(bens))
    post(ann, (photo(), "deleted"))
    key = keys.profile_media(get_by_login(web.db, "ann").uid)
    *kept, deleted = web.db.run(("ZRANGE", key, 0, -1))
    assert len(kept) == 5
    ann.post(f"/statuses/{deleted}/delete")
    web.db.run(("UNLINK", key))  # as before the tab existed
    assert "alt=" not in ann.get("/@ann/media").text.partition("gallery")[2]
    for _ in range(2):
        run_upgrade(web, "media")
        assert web.db.run(("ZRANGE", key, 0, -1)) == kept
    assert web.db.run(("EXISTS", keys.profile_media(get_by_login(web.db, "ben").uid))) == 0


def test_a_slice_that_was_interrupted_goes_on(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "INDEX_SLICE", 1)
    db, ann = web.db, join(web.app, "ann")
    for number in range(3):
        post(ann, (photo(), str(number)))
    uid = get_by_login(db, "ann").uid
    ids = [int(entry) for entry in db.run(("ZRANGE", keys.profile_media(uid), 0, -1))]
    db.run(("UNLINK", keys.profile_media(uid)))
    posts = keys.profile_statuses(uid)
    assert store.index_media(db, uid, posts, 0) == ids[0]
    assert store.index_media(db, uid, posts, ids[1]) == ids[2]
    assert store.index_media(db, uid, posts, ids[2]) is None
    assert db.run(("ZRANGE", keys.profile_media(uid), 0, -1)) == [str(ids[0]), str(ids[2])]

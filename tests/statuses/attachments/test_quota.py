"""How many bytes of pictures a member has, and may have."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.datastructures import FileStorage

from tests.support.client_api import connected
from tests.support.concurrently import at_once
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.pages import join
from tests.support.settings import with_settings
from tests.support.statuses.pictures import (
    FORM,
    NO_WORDS,
    Stage,
    expire_in_flight as expire_in_flight,
    photo,
    stage as stage,
)
from tests.support.upgrades import run_upgrade
from tests.support.world import World
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media.decoding import BadPicture
from webapp.core.store import Site
from webapp.statuses import store
from webapp.statuses.attachments import keys, quota, staging
from webapp.statuses.drafts import store as drafts


def counted(site: Site, uid: int) -> int:
    """Return the bytes that the store counts, which must be those of the files."""
    files = (site.config.media_path / f"posts/{uid}").glob("*.webp")
    total = site.db.read(quota.picture_bytes(uid))
    assert total == sum(file.stat().st_size for file in files)
    return total


def test_pictures_count_from_their_upload_until_their_files_are_removed(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    ann, ben = world.people("ann", "ben")
    red, blue = stage(ann, "red"), stage(ann, "blue")
    assert counted(world, ann) > 0 == counted(world, ben)
    status = store.post(world, ann, NO_WORDS, FORM, pictures=red)
    drafts.save(world, ann, "form-key-2", {}, None, blue)
    both = counted(world, ann)
    store.delete(world, ann, status)
    staging.discard(world, ann, [red[0].name])
    assert 0 < counted(world, ann) < both
    drafts.discard(world.db, ann, "form-key-2")
    stage(ann, "green")  # no post comes
    expire_in_flight()
    for _ in range(2):
        staging.remove_stale(world, ann)
        assert counted(world, ann) == 0


def test_removing_twice_after_a_crash_counts_once(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    [ann] = world.people("ann")
    store.post(world, ann, NO_WORDS, FORM, pictures=stage(ann, "red"))
    kept = counted(world, ann)
    stage(ann, "blue")
    expire_in_flight()
    with pytest.raises(Crashed):
        staging.remove_stale(Site(CrashingDb(world.db, 1), world.config), ann)
    staging.remove_stale(world, ann)
    assert counted(world, ann) == kept


def test_no_more_fit_than_the_quota_however_many_come_at_once(
    world: World, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    stage(ann, "red")
    monkeypatch.setattr(quota, "MEGABYTE", 3 * counted(world, ann))
    small = with_settings(world, picture_megabytes_max=1)

    def upload(number: int) -> bool:
        try:
            quota.count_pictures(small, ann, names := [f"posts/{ann}/{number:012x}"], names)
        except BadPicture:
            return False
        return True

    size = counted(world, ann)
    monkeypatch.setattr(quota, "status_picture_bytes", lambda *_: size)
    assert sum(at_once(8, upload, range(50))) == 2
    quota.count_pictures(small, ann, [f"posts/{ann}/{99:012x}"], [])  # of a draft
    quota.count_pictures(with_settings(world, picture_megabytes_max=0), ann, [], [])


def test_a_drafts_pictures_need_no_room_again_when_they_are_posted(
    world: World, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    draft = stage(ann, "red", "blue")
    kept = counted(world, ann)
    monkeypatch.setattr(quota, "MEGABYTE", kept * 1.6)
    small = with_settings(world, picture_megabytes_max=1)
    file = FileStorage(io.BytesIO(photo(colour="green")), content_type="image/png")
    staged = staging.stage(small, ann, [*draft, UploadedPicture(file, "all green")])
    staging.discard(world, ann, [picture.name for picture in draft])  # they are posted
    assert kept < counted(world, ann) < 2 * kept
    file.stream.seek(0)
    small.refuses(BadPicture, staging.stage, ann, [*staged, UploadedPicture(file, "all green")])


def test_forms_and_apps_say_that_there_is_no_room(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = join(app, "ann")
    client = connected(app, ann)
    monkeypatch.setattr(quota, "MEGABYTE", 0.0005)
    form = {"text": "My larch", "key": FORM, "pictures": (io.BytesIO(photo()), "larch.png")}
    response = ann.post("/statuses", data=form)
    assert response.status_code == 422 and "My larch" in response.text
    assert "may take up 2000 MB. Delete some first." in response.text
    refusal = client.call("POST /api/v2/media", data={"file": (io.BytesIO(photo()), "larch.png")})
    assert refusal.status_code == 422 and "may take up" in refusal.get_json()["error"]
    media = app.extensions["linnet.config"].media_path
    assert not list(media.glob("posts/*/*.webp"))
    assert "take up 0 Bytes of" in ann.get("/settings/data").text


def test_pictures_of_before_are_counted_and_those_of_deleted_accounts_are_not(
    world: World, stage: Stage
) -> None:
    ann, ben = world.people("ann", "ben")
    stage(ann, "red", "blue"), stage(ben, "red")
    before = counted(world, ann)
    world.db.run(("DEL", keys.picture_bytes(ann)))
    for _ in range(2):
        run_upgrade(world, "quota")
        assert counted(world, ann) == before
    world.delete_account(ben, None)
    world.do(quota.count_pictures, ben, names := [f"posts/{ben}/{1:012x}"], names)
    assert world.db.run(("EXISTS", keys.picture_bytes(ben))) == 0


def test_pictures_that_come_and_go_while_old_ones_are_counted_end_with_their_bytes(
    world: World, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    gone, torn, other = stage(ann, "red", "blue", "green")
    world.db.run(("DEL", keys.picture_bytes(ann)))
    [path] = (world.config.media_path / f"posts/{ann}").glob(f"{Path(torn.name).name}*")
    whole, counts = path.read_bytes(), []
    path.write_bytes(whole[:50])

    def count(*args: Any) -> bool:
        counts.append(args)
        if len(counts) == 1:  # between the look at the files and the count
            staging.discard(world, ann, [gone.name])
            path.write_bytes(whole)
            quota.count_pictures(world, ann, [torn.name], [torn.name])
        return original(*args)

    original = quota._count
    monkeypatch.setattr(quota, "_count", count)
    quota.count_stored(world, [ann])
    assert counted(world, ann) > 0 and len(counts) == 3
    staging.discard(world, ann, [torn.name, other.name])
    assert counted(world, ann) == 0

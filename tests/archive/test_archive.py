"""The archive: what it holds, its slices and crashes, and who may have it."""

import json
import zipfile
from io import BytesIO
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.chat import group, send_messages
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.statuses.pictures import Stage, stage as stage
from tests.support.world import Web, World, post
from webapp.archive import files, keys, tasks, worker
from webapp.archive.exports import building, sources, writings
from webapp.archive.exports.sources import Owner
from webapp.archive.exports.table import LEFT_OUT, SOURCES
from webapp.archive.tasks import ARCHIVE, Task
from webapp.archive.worker import DataTasks
from webapp.chat.members import membership
from webapp.chat.messages import sending
from webapp.core.errors import Conflict
from webapp.core.store import Site, partition_of
from webapp.core.store.schema import MemberKey
from webapp.following.notes import store as notes
from webapp.statuses import Visibility


def begin(site: Site, uid: int) -> Task:
    task = tasks.new_task(ARCHIVE, "https://linnet.example", "en")
    tasks.start(site, uid, task)
    return task


def latest(site: Site, uid: int) -> Task:
    return site.db.read(tasks.tasks_of(uid))[ARCHIVE]


def opened(site: Site, uid: int) -> zipfile.ZipFile:
    return zipfile.ZipFile(files.result_file(site.config, uid, latest(site, uid)))


def rows(archive: zipfile.ZipFile, name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(archive.read(f"data/{name}.json"))
    return found


def release(site: Site, uid: int) -> None:
    """Let the lease of a dead worker run out."""
    site.db.run(("ZADD", keys.due_tasks(partition_of(uid)), 0, f"{uid}:{ARCHIVE}"))


@pytest.mark.tables
def test_every_private_key_is_exported_or_left_out_for_a_reason() -> None:
    exported = {noun for source in SOURCES for noun in source.nouns}
    private = {key.noun for key in MemberKey.every_private}
    found = private - exported - LEFT_OUT.keys()
    assert found == set(), "add them to SOURCES or LEFT_OUT of webapp/archive/exports/table.py"
    assert not exported & LEFT_OUT.keys()


def test_an_archive_holds_what_a_member_has_and_nothing_of_others(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    own = [post(world, ann, f"post {number}") for number in range(3)]
    own.append(world.post(ann, "for followers", visibility=Visibility.FOLLOWERS))
    theirs = post(world, ben, "a post of somebody else")
    world.like(ann, theirs)
    world.bookmark(ann, theirs)
    world.follow(ann, "ben")
    notes.save_note(world.db, ann, "ben", "met at the marsh")
    world.apply_events()
    begin(world, ann)
    assert DataTasks(world).run_due() == 1
    archive = opened(world, ann)
    assert [row["id"] for row in rows(archive, "posts")] == [str(one) for one in reversed(own)]
    expected = [f"https://linnet.example/@ben/{theirs}"]
    assert [row["url"] for row in rows(archive, "likes")] == expected
    assert [row["note"] for row in rows(archive, "notes")] == ["met at the marsh"]
    page = archive.read("index.html").decode()
    assert "for followers" in page
    everything = b"".join(map(archive.read, archive.namelist()))
    assert b"a post of somebody else" not in everything
    assert b"argon2" not in everything
    assert not files.parts_folder(world.config, ann, latest(world, ann)).exists()


def test_own_messages_are_those_that_the_member_can_still_see(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writings, "SLICE", 2)
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ann, "ben")
    left, kept, later = (group(world, ben, [ann]) for _ in range(3))
    for cid in (left, kept, later):
        send_messages(world, ann, cid, f"first in {cid}")
        send_messages(world, ben, cid, "of somebody else")
    membership.leave(world, ann, later)
    membership.add(world, ben, later, [ann])
    world.apply_events()
    membership.leave(world, ann, left)  # no event says so yet
    gone, *_ = send_messages(world, ann, kept, "deleted", *(f"lark {n}" for n in range(4)))
    sending.delete(world, ann, kept, gone)
    send_messages(world, ann, later, "back again")

    texts: list[object] = []
    cursor: str | None = ""
    while cursor is not None:
        found = writings.read_messages(Owner(world.site, ann, "https://linnet.example"), cursor)
        assert len(found.rows) <= 2
        texts, cursor = [*texts, *(row["text"] for row in found.rows)], found.next
    expected = {kept: [f"first in {kept}", *(f"lark {n}" for n in range(4))], later: ["back again"]}
    assert texts == [text for cid in sorted((kept, later)) for text in expected[cid]]


@pytest.mark.parametrize("trips", range(1, 60, 7))
def test_a_worker_that_dies_is_followed_by_one_that_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch, trips: int
) -> None:
    monkeypatch.setattr(sources, "SLICE", 2)
    [ann] = world.people("ann")
    ids = [post(world, ann, f"post {number}") for number in range(5)]
    for one in ids:
        world.bookmark(ann, one)
    begin(world, ann)
    [claimed] = tasks.claim(world.db, partition_of(ann), ())
    with pytest.raises(Crashed):
        DataTasks(Site(CrashingDb(world.db, trips), world.config)).do(claimed)
    release(world, ann)
    DataTasks(world).run_due()
    archive = opened(world, ann)
    assert len(rows(archive, "posts")) == len(rows(archive, "bookmarks")) == 5


def test_a_worker_that_was_overtaken_stops(world: World) -> None:
    [ann] = world.people("ann")
    begin(world, ann)
    [old] = tasks.claim(world.db, partition_of(ann), ())
    release(world, ann)
    [new] = tasks.claim(world.db, partition_of(ann), ())
    DataTasks(world).do(old)
    assert not latest(world, ann).ended_at
    DataTasks(world).do(new)
    assert latest(world, ann).is_ready


def test_a_task_that_never_gets_on_fails(world: World) -> None:
    [ann] = world.people("ann")
    begin(world, ann)
    files.write_part(world.config, ann, latest(world, ann), "posts.0", b"{}")
    for _ in range(worker.TRIES_MAX):
        tasks.claim(world.db, partition_of(ann), ())
        release(world, ann)
    DataTasks(world).run_due()
    assert latest(world, ann).failed
    assert not files.parts_folder(world.config, ann, latest(world, ann)).exists()


def test_a_pack_for_which_the_disk_has_no_room_takes_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    begin(world, ann)
    folder = files.parts_folder(world.config, ann, latest(world, ann))
    with monkeypatch.context() as patch:
        patch.setattr(building, "_pack_pictures", Mock(side_effect=OSError("No space left")))
        with pytest.raises(OSError, match="No space"):
            DataTasks(world).run_due()
    assert folder.exists() and not list(folder.glob("packing-*"))
    release(world, ann)
    DataTasks(world).run_due()
    assert latest(world, ann).is_ready


def test_a_large_page_keeps_the_lease_while_it_is_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packing goes through the posts three times: their file, the page, and their pictures."""
    monkeypatch.setattr(writings, "SLICE", 1)
    [ann] = world.people("ann")
    begin(world, ann)
    counts = []
    for _ in range(2):
        task, beats = latest(world, ann), Mock()
        while not task.ended_at:
            beats.reset_mock()
            task = building.build_slice(world, ann, task, beats)
        counts.append(beats.call_count)
        post(world, ann, "one more part")
    assert counts[1] == counts[0] + 3


def test_there_is_one_archive_at_a_time_and_one_a_day(world: World) -> None:
    [ann] = world.people("ann")
    begin(world, ann)
    world.refuses(Conflict, begin, ann, match="task_runs")
    DataTasks(world).run_due()
    world.refuses(Conflict, begin, ann, match="task_early")
    first = files.result_file(world.config, ann, latest(world, ann))
    world.db.run(("HSET", keys.data_tasks(ann), "archive:at", 0))
    begin(world, ann)
    DataTasks(world).run_due()
    assert not first.exists()


def test_a_deleted_account_leaves_no_archive(world: World) -> None:
    [ann] = world.people("ann")
    begin(world, ann)
    DataTasks(world).run_due()
    file = files.result_file(world.config, ann, latest(world, ann))
    assert file.exists()
    world.do(World.delete_account, ann, PASSWORD)
    assert not file.parent.exists()


def test_pictures_are_in_the_archive(world: World, stage: Stage) -> None:
    [ann] = world.people("ann")
    world.post(ann, "a wren", pictures=stage(ann, "red"))
    begin(world, ann)
    DataTasks(world).run_due()
    archive = opened(world, ann)
    [row] = rows(archive, "posts")
    [shown] = row["pictures"]  # type: ignore[misc]
    assert shown["description"] == "all red"
    assert archive.read(shown["file"])[8:12] == b"WEBP"


def test_only_the_owner_may_download_it_whole_or_in_ranges(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    assert ann.get("/settings/data/archive.zip").status_code == 404
    assert ann.post("/settings/data/archive").status_code == 303
    assert b"<progress" in ann.get("/settings/data").data
    assert ann.post("/settings/data/archive").status_code == 409
    DataTasks(web).run_due()
    whole = ann.get("/settings/data/archive.zip")
    assert zipfile.ZipFile(BytesIO(whole.data)).testzip() is None
    assert whole.headers["Cache-Control"] == "no-store"
    part = ann.get("/settings/data/archive.zip", headers={"Range": "bytes=2-9"})
    assert part.status_code == 206
    assert part.data == whole.data[2:10]
    assert ben.get("/settings/data/archive.zip").status_code == 404


def test_an_old_sign_in_needs_the_password(ann: FlaskClient, web: Web) -> None:
    [session] = web.db.run(("KEYS", "session:*"))
    web.db.run(("HDEL", session, "proved"))
    refused = ann.post("/settings/data/archive", data={"current_password": "wrong"})
    assert refused.status_code == 422
    found = ann.post("/settings/data/archive", data={"current_password": PASSWORD}).status_code
    assert found == 303

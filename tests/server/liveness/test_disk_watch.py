"""A full disk: the embedded store refuses writes, goes on, and accepts them again."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from webapp.admin.store_findings import server_findings
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.store import Db
from webapp.core.store.connection import connect
from webapp.core.web import keys
from webapp.server import embedded_store
from webapp.server.liveness import disk_watch
from webapp.server.liveness.disk_watch import DiskWatch

SetFree = Callable[[float], None]


@pytest.fixture
def set_free(monkeypatch: pytest.MonkeyPatch) -> SetFree:
    """Set how many megabytes are free on every disk."""

    def set_free(megabytes: float) -> None:
        usage = SimpleNamespace(free=megabytes * 1024 * 1024)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)

    return set_free


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Db]:
    """An embedded store in `tmp_path`."""
    process = embedded_store.start(tmp_path)
    db = connect(Config(data_dir=tmp_path))
    yield db
    db.close()
    embedded_store.stop(process)


def is_saved(db: Db) -> bool:
    try:
        db.run(("SET", keys.rate_limit("like", "1"), 1))
    except Unavailable as error:
        assert error.code == "read_only"
        return False
    return True


def test_nothing_is_saved_from_a_full_disk_until_there_is_room(
    tmp_path: Path, store: Db, set_free: SetFree, capfd: pytest.CaptureFixture[str]
) -> None:
    set_free(1_000)
    watch = DiskWatch(tmp_path)
    saved = {}
    for free in (1_000, 32, 31.9, 63.9, 64, 63.9):
        set_free(free)
        watch.check(1)
        saved.setdefault(free, []).append(is_saved(store))
    assert saved == {1_000: [True], 32: [True], 31.9: [False], 63.9: [False, True], 64: [True]}
    assert store.run(("GET", keys.rate_limit("like", "1"))) == "1"
    log = capfd.readouterr().err
    assert log.count(f"disk full: less than 32 MB are free for {tmp_path}.") == 1
    assert log.count("the disk has room again") == 1


def test_operators_are_told_of_the_disk_alone(tmp_path: Path, store: Db) -> None:
    config = Config(data_dir=tmp_path)
    assert embedded_store.set_writable(tmp_path, False)
    assert [one.message for one in server_findings(store, config) if not one.ok] == []
    assert embedded_store.set_writable(tmp_path, True)
    assert "replication: no replicas" in [one.message for one in server_findings(store, config)]


def test_a_store_that_starts_on_a_full_disk_refuses_writes(tmp_path: Path) -> None:
    process = embedded_store.spawn(tmp_path, writable=False)
    embedded_store.await_ready(process, tmp_path)
    client = embedded_store._client(tmp_path)
    options = client.config_get("appendfsync", "min-replicas-to-write")
    assert options == {"appendfsync": "everysec", "min-replicas-to-write": "1"}
    assert embedded_store.set_writable(tmp_path, True)
    options = client.config_get("appendfsync", "min-replicas-to-write")
    assert options == {"appendfsync": "always", "min-replicas-to-write": "0"}
    client.close()
    embedded_store.stop(process)
    assert not embedded_store.set_writable(tmp_path, True)


def test_a_store_that_was_started_again_is_told_again(
    tmp_path: Path, set_free: SetFree, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []
    answers = iter([True, False, True, True])

    def set_writable(_: Path, writable: bool) -> bool:
        told.append(writable)
        return next(answers)

    monkeypatch.setattr(embedded_store, "set_writable", set_writable)
    set_free(10)
    watch = DiskWatch(tmp_path)
    for pid in (1, 1, 2, 2, 2):
        watch.check(pid)
    assert told == [False, False, False], "once each, and again what nobody heard"
    set_free(100)
    watch.check(2)
    assert told[3:] == [True]


def test_since_when_the_disk_is_low_is_known_until_it_is_not(
    tmp_path: Path, set_free: SetFree, capfd: pytest.CaptureFixture[str]
) -> None:
    for free, is_known in ((257, False), (255, True), (254, True), (257, False)):
        set_free(free)
        watch = DiskWatch(tmp_path)
        watch.note_low()
        watch.note_low()
        assert (disk_watch.low_since(tmp_path) is not None) == is_known
    assert capfd.readouterr().err.count("disk low: 255 MB free") == 1
    (tmp_path / embedded_store.AOF_FOLDER).mkdir()
    (tmp_path / embedded_store.AOF_FOLDER / "a.aof").write_bytes(b"x" * 2 * disk_watch.MEGABYTE)
    assert disk_watch.is_low(tmp_path), "there must be room for the store's files once more"

"""Copies of a site: what is in them, what is refused, and what changes in their midst."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from redis import Redis

from tests.support.engines import Engine, start_server
from tests.support.operators import printed
from tests.support.processes import until
from webapp.admin.backups import backup as backups, copier, copies
from webapp.admin.backups.encryption import make_key
from webapp.admin.backups.restore import restore, try_copy
from webapp.config import BadSetting, Config, socket_path
from webapp.core.errors import StoreError
from webapp.core.store.connection import connect
from webapp.server import embedded_store
from webapp.server.embedded_store import AOF_FOLDER

pytestmark = pytest.mark.slow


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Config]:
    """Return a site whose embedded store runs, with a picture, a page and a key."""
    config = Config(data_dir=tmp_path / "var")
    for name, text in {
        "secret_key": "secret",
        "media/7/a.webp": "picture",
        "media/tmp/b": "unfinished",
        "pages/en/contact.md": "# Contact",
    }.items():
        (config.data_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (config.data_dir / name).write_text(text)
    process = embedded_store.start(config.data_dir)
    yield config
    embedded_store.stop(process)


def save(config: Config, value: str) -> None:
    """Store a value, as a member's write is."""
    db = connect(config)
    db.run(("SET", "login:{ann}", value))
    db.close()


def value_in(folder: Path) -> str | None:
    """Start the store of a data folder, and return the value in it."""
    process = embedded_store.start(folder)
    try:
        db = connect(Config(data_dir=folder))
        found: str | None = db.run(("GET", "login:{ann}"))
        db.close()
    finally:
        embedded_store.stop(process)
    return found


@contextmanager
def writing(config: Config, acknowledged: list[int]) -> Iterator[None]:
    """Write one number after the other while the block runs."""
    stop = Event()

    def run() -> None:
        db = connect(config)
        while not stop.is_set():
            db.run(("SET", "login:{ann}", len(acknowledged) + 1))
            acknowledged.append(len(acknowledged) + 1)
        db.close()

    thread = Thread(target=run)
    thread.start()
    try:
        until(lambda: acknowledged)
        yield
    finally:
        stop.set()
        thread.join()


def rewrite(config: Config) -> None:
    """Let the store rewrite its files, and wait for the end."""
    client = Redis(unix_socket_path=str(socket_path(config.data_dir)))
    manifest = config.data_dir / AOF_FOLDER / "appendonly.aof.manifest"
    before = manifest.read_text()
    client.bgrewriteaof()
    until(lambda: not client.info("persistence")["aof_rewrite_in_progress"])  # type: ignore[index]
    assert manifest.read_text() != before
    client.close()


def at_first_file(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Do something once, after a backup has copied its first file."""
    add = copier.Copier.add
    left = [work]

    def add_and_work(self: copier.Copier, *args: Any, **options: Any) -> None:
        add(self, *args, **options)
        if left:
            left.pop()()

    monkeypatch.setattr(copier.Copier, "add", add_and_work)


def test_a_restored_copy_has_all_that_was_there_before(config: Config, tmp_path: Path) -> None:
    save(config, "before")
    folder = tmp_path / "backups"
    made = backups.make_backup(config, folder, keep=7)
    save(config, "after")
    copy, counts = try_copy(folder)
    assert copy == made.copy and (counts.total(), counts["login"]) == (3, 1)
    new = Config(data_dir=tmp_path / "new")
    (new.data_dir / f"{copies.PARTIAL}killed").mkdir(parents=True)
    restore(new, folder)
    assert not list(new.data_dir.rglob(f"{copies.PARTIAL}*"))
    for name in ("secret_key", "media/7/a.webp", "pages/en/contact.md"):
        assert (new.data_dir / name).read_text() == (config.data_dir / name).read_text()
    assert not (new.data_dir / "media/tmp").exists()
    assert value_in(new.data_dir) == "before"
    copies.check_sums(made.copy)  # the restored store wrote to files of its own
    with pytest.raises(StoreError, match="is not empty: it holds"):
        restore(new, folder)


def test_a_key_that_is_no_longer_in_use_is_not_copied(config: Config, tmp_path: Path) -> None:
    made = backups.make_backup(replace(config, secret_key="k" * 32), tmp_path / "backups", keep=7)
    assert "secret_key" not in made.copy.files
    shown = printed("restore", str(tmp_path / "backups"), "--data-dir", str(tmp_path / "new"))
    assert "Set SECRET_KEY to that of the site." in shown


def test_a_restore_that_dies_leaves_no_store_without_its_key(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, moved = tmp_path / "backups", []
    backups.make_backup(config, folder, keep=7)
    rename = Path.rename

    def rename_and_note(path: Path, target: Path) -> Path:
        moved.append(path.name)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", rename_and_note)
    monkeypatch.setattr(Path, "iterdir", lambda path: iter(sorted(path.glob("*"))))
    restore(Config(data_dir=tmp_path / "new"), folder)
    assert moved[-1] == AOF_FOLDER and "secret_key" in moved


def test_copies_under_load_have_every_acknowledged_write(config: Config, tmp_path: Path) -> None:
    acknowledged: list[int] = []
    made = []
    with writing(config, acknowledged):
        for _ in range(3):
            before = len(acknowledged)
            made.append((backups.make_backup(config, tmp_path / "backups", keep=3), before))
            until(lambda before=before: len(acknowledged) > before)
    for number, (one, before) in enumerate(made):
        folder = tmp_path / str(number)
        restore(Config(data_dir=folder), one.copy.folder)
        assert int(value_in(folder) or 0) >= before > number


def test_the_newest_copies_are_kept_and_share_what_never_changes(
    config: Config, tmp_path: Path
) -> None:
    made = [backups.make_backup(config, tmp_path / "backups", keep=2) for _ in range(3)]
    assert copies.copy_names(tmp_path / "backups") == [one.copy.folder.name for one in made[1:]]
    assert made[2].removed == 1 and made[2].linked == 2
    pictures = [one.copy.folder / "media/7/a.webp" for one in made[1:]]
    assert os.path.samefile(*pictures)
    for one in made[1:]:
        copies.check_sums(one.copy)


def test_an_encrypted_copy_is_read_with_its_key_alone(config: Config, tmp_path: Path) -> None:
    save(config, "a-member-wrote-this")
    folder, key, other = tmp_path / "backups", tmp_path / "key", tmp_path / "other"
    recipients = (make_key(key), make_key(other))[:1]
    assert key.stat().st_mode & 0o777 == 0o600
    made = [backups.make_backup(config, folder, 7, recipients) for _ in range(2)]
    assert made[0].linked == 0 and made[1].linked == 2
    for path in (one for one in folder.rglob("*") if one.is_file()):
        assert b"a-member-wrote-this" not in path.read_bytes()
        assert path.read_bytes() not in (b"secret", b"picture", b"# Contact")
    copy, counts = try_copy(folder, key)
    assert copy == made[1].copy and (counts.total(), counts["login"]) == (3, 1)
    new = Config(data_dir=tmp_path / "new")
    for wrong, sentence in ((None, "--identity"), (other, "not for the key"), (folder, "no key")):
        with pytest.raises(StoreError, match=sentence):
            try_copy(folder, wrong)
        with pytest.raises(StoreError, match=sentence):
            restore(new, folder, wrong)
        assert [path.name for path in new.data_dir.rglob("*") if path.is_file()] in ([], ["lock"])
    restore(new, folder, key)
    for name in ("secret_key", "media/7/a.webp", "pages/en/contact.md"):
        assert (new.data_dir / name).read_text() == (config.data_dir / name).read_text()
    assert value_in(new.data_dir) == "a-member-wrote-this"


def test_no_copy_is_open_among_encrypted_ones(config: Config, tmp_path: Path) -> None:
    folder, key = tmp_path / "backups", tmp_path / "key"
    backups.make_backup(config, folder, keep=7)
    recipient = make_key(key)
    assert backups.make_backup(config, folder, 7, (recipient,)).linked == 0
    with pytest.raises(StoreError, match="Name a --recipient"):
        backups.make_backup(config, folder, keep=7)
    with pytest.raises(StoreError, match="a public key of age"):
        backups.make_backup(config, folder, 7, ("age1owl",))
    with pytest.raises(StoreError, match="No key was made"):
        make_key(key)
    assert len(copies.copy_names(folder)) == 2 == len(os.listdir(folder))


def test_the_commands_make_a_key_and_use_it(config: Config, tmp_path: Path) -> None:
    folder, key = str(tmp_path / "backups"), str(tmp_path / "key")
    recipient = printed("backup-key", key).strip()
    data = ("--data-dir", str(config.data_dir))
    assert "Copied" in printed("backup", folder, "--recipient", recipient, *data)
    assert "Name the file of its key" in printed("backup", "--verify", folder)
    assert "Its store starts" in printed("backup", "--verify", folder, "--identity", key)
    new = ("--identity", key, "--data-dir", str(tmp_path / "new"))
    assert "is back in" in printed("restore", folder, *new)


def test_a_copy_begins_again_if_the_store_rewrites_its_files(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webapp.admin.backups.store_files.PAUSE", 0)
    save(config, "before")
    at_first_file(monkeypatch, lambda: rewrite(config))
    made = backups.make_backup(config, tmp_path / "backups", keep=1)
    assert sum(name.endswith(".rdb") for name in made.copy.files) == 1
    restore(Config(data_dir=tmp_path / "new"), made.copy.folder)
    assert value_in(tmp_path / "new") == "before"


@pytest.mark.parametrize("comes_back", [False, True])
def test_a_copy_stops_if_the_store_ends(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comes_back: bool
) -> None:
    started = []

    def end() -> None:
        Redis(unix_socket_path=str(socket_path(config.data_dir))).shutdown()
        if comes_back:
            started.append(embedded_store.start(config.data_dir))

    at_first_file(monkeypatch, end)
    sentence = "started or replaced during" if comes_back else "ended during"
    with pytest.raises(StoreError, match=f"{sentence} the copy"):
        backups.make_backup(config, tmp_path / "backups", keep=1)
    assert list((tmp_path / "backups").iterdir()) == []
    for process in started:
        embedded_store.stop(process)


def test_what_is_damaged_or_in_the_way_is_refused(config: Config, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    copy = backups.make_backup(config, folder, keep=1).copy
    os.link(copy.folder / "secret_key", tmp_path / "kept")
    (copy.folder / "secret_key").write_text("damaged")
    new = Config(data_dir=tmp_path / "new")
    for act in (lambda: restore(new, folder), lambda: try_copy(folder)):
        with pytest.raises(StoreError, match="secret_key is not as it was"):
            act()
    assert not new.data_dir.exists()
    listed = {"linnet": "", "data": "", "files": {"../x": {"size": 1, "sha256": ""}}}
    (copy.folder / copies.FILE_LIST).write_text(json.dumps(listed))
    with pytest.raises(StoreError, match="lies elsewhere"):
        restore(new, folder)
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(StoreError, match="holds other things than copies"):
        backups.make_backup(config, folder, keep=1)
    with pytest.raises(StoreError, match="among the pictures"):
        backups.make_backup(config, config.media_path / "backups", keep=1)
    with pytest.raises(StoreError, match="no manifest"):
        restore(new, tmp_path)
    with pytest.raises(BadSetting, match="REDIS_URL"):
        restore(Config(redis_url="redis://localhost"), folder)


def test_one_backup_at_a_time(config: Config, tmp_path: Path) -> None:
    (tmp_path / f"{copies.PARTIAL}killed").mkdir()
    with copies.locked(tmp_path):
        assert not list(tmp_path.glob(f"{copies.PARTIAL}*"))
    folder = tmp_path / "backups"
    folder.mkdir()
    with copies.locked(folder), pytest.raises(StoreError, match="Another command"):
        backups.make_backup(config, folder, keep=1)


@pytest.mark.parametrize("engine", list(Engine))
def test_a_redis_of_the_operators_own_is_copied(tmp_path: Path, engine: Engine) -> None:
    store = tmp_path / "own"
    store.mkdir()
    with start_server(store, engine) as url:
        config = Config(redis_url=url, data_dir=tmp_path / "var")
        save(config, "before")
        with pytest.raises(StoreError, match="CONFIG SET appendonly yes"):
            backups.make_backup(config, tmp_path / "backups", keep=1)
        client = Redis(unix_socket_path=str(store / "valkey.sock"))
        client.config_set("appendonly", "yes")
        until((store / AOF_FOLDER / "appendonly.aof.manifest").exists)
        made = backups.make_backup(config, tmp_path / "backups", keep=1)
    restore(Config(data_dir=tmp_path / "new"), made.copy.folder)
    assert value_in(tmp_path / "new") == "before"

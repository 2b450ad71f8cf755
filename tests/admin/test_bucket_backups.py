"""Copies in S3-compatible storage: whole or absent, shared, kept, encrypted, and brought back."""

import os
import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.operators import printed
from tests.support.s3_server import ENVIRONMENT, Storage, storage
from webapp.admin.backups.bucket import Bucket, names_of
from webapp.admin.backups.encryption import make_key
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.server import embedded_store

pytestmark = pytest.mark.slow
PLACE = "s3://nest/linnet/copies"
LARGE = b"feather " * 1_400_000  # several parts of an upload


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Config]:
    """Return a site whose embedded store runs, with a large picture and a key."""
    config = Config(data_dir=tmp_path_factory.mktemp("site"))
    for name, data in {"secret_key": b"secret", "media/7/a.webp": LARGE}.items():
        (config.data_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (config.data_dir / name).write_bytes(data)
    process = embedded_store.start(config.data_dir)
    db = connect(config)
    db.run(("SET", "login:{ann}", "a-member-wrote-this"))
    db.close()
    yield config
    embedded_store.stop(process)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Storage]:
    """Return the storage that the environment names."""
    with storage() as server:
        for name, value in {**ENVIRONMENT, "AWS_ENDPOINT_URL": server.url}.items():
            monkeypatch.setenv(name, value)
        server.put("nest/notes.txt", b"of somebody else")
        yield server


def copy_now(config: Config, *options: str) -> str:
    """Add a copy, and return what the command says."""
    return printed("backup", PLACE, "--data-dir", str(config.data_dir), *options)


def copies() -> list[str]:
    return names_of(Bucket(PLACE).objects())


def test_a_copy_is_brought_back_and_tried(config: Config, server: Storage, tmp_path: Path) -> None:
    assert re.search(rf"to {PLACE}/\S+Z\. Shared with the copy before: 0", copy_now(config))
    assert not server.parts and server.keys("nest")[-1] == "notes.txt"
    assert "1 members" in printed("backup", PLACE, "--verify")
    one = f"{PLACE}/{copies()[0]}"
    assert "is back in" in printed("restore", one, "--data-dir", str(tmp_path / "new"))
    for name in ("secret_key", "media/7/a.webp"):
        assert (tmp_path / "new" / name).read_bytes() == (config.data_dir / name).read_bytes()
    [file] = [key for key in server.objects if key.endswith("a.webp")]
    server.put(file, LARGE[:-1] + b"!")
    assert "not as it was" in printed("backup", PLACE, "--verify")
    assert "is damaged" in printed("restore", PLACE, "--data-dir", str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()


def test_storage_without_https_must_be_allowed(
    config: Config, server: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    assert "set AWS_ALLOW_HTTP=true" in copy_now(config)
    assert server.keys("nest") == ["notes.txt"]


def test_the_newest_copies_are_kept_and_share_what_never_changes(
    config: Config, server: Storage
) -> None:
    for number in range(3):
        said = copy_now(config, "--keep", "2")
        assert f"copy before: {2 if number else 0}." in said
        age_all(server)
    assert "Older copies removed: 1." in said and len(copies()) == 2
    assert len([key for key in server.objects if key.endswith("a.webp")]) == 1
    server.put(f"nest/linnet/copies/{copies()[0][:-2]}9Z/media/x", b"left by a killed command")
    age_all(server)
    copy_now(config, "--keep", "1")
    assert not [key for key in server.objects if key.endswith("media/x")]
    assert "is whole" in printed("backup", PLACE, "--verify")


def age_all(server: Storage) -> None:
    """Let all objects be two days old."""
    for key, (data, time) in server.objects.items():
        server.objects[key] = (data, time - timedelta(days=2))


@pytest.mark.parametrize("key", [r"a\.webp$", "manifest"])
def test_an_upload_that_fails_leaves_no_copy(config: Config, server: Storage, key: str) -> None:
    copy_now(config)
    before = copies()
    os.utime(config.data_dir / "media/7/a.webp")
    server.refuses = re.compile(key)
    assert "The copy failed" in copy_now(config)
    assert copies() == before
    assert "is whole" in printed("backup", PLACE, "--verify")


def test_an_encrypted_copy_is_read_with_its_key_alone(
    config: Config, server: Storage, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    recipient = make_key(key)
    for _ in range(2):
        assert "Copied" in copy_now(config, "--recipient", recipient)
    for name, (data, _) in server.objects.items():
        assert b"a-member-wrote-this" not in data and b"feather" not in data, name
    assert len([name for name in server.objects if name.endswith("a.webp")]) == 1
    assert "Name a --recipient" in copy_now(config)
    assert "Name the file of its key" in printed("backup", PLACE, "--verify")
    assert "1 members" in printed("backup", PLACE, "--verify", "--identity", str(key))


def test_what_is_missing_is_one_sentence(
    config: Config, server: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "There is no copy" in printed("restore", PLACE, "--data-dir", "new")
    assert "Name a bucket" in printed("backup", "s3://", "--verify")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "fishes")
    assert "The copy failed" in copy_now(config)
    monkeypatch.setitem(sys.modules, "obstore", None)
    assert "pip install obstore" in copy_now(config)

"""The end of an append-only file is cut at the last whole command, and nothing before it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from webapp.admin.aof_repair import repair, whole_length
from webapp.config import BadSetting, Config
from webapp.core.errors import StoreError
from webapp.core.store import Db
from webapp.core.store.connection import connect
from webapp.server import embedded_store
from webapp.server.embedded_store import AOF_FOLDER

pytestmark = pytest.mark.slow

TRANSACTION = "redis.call('SET', KEYS[1], ARGV[1]) redis.call('SET', KEYS[2], ARGV[1])"
SET = b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$4\r\n\r\n*1\r\n"
MULTI, EXEC = b"*1\r\n$5\r\nMULTI\r\n", b"*1\r\n$4\r\nEXEC\r\n"
KNOWN = frozenset({"set", "multi", "exec"})


def running(folder: Path, work: Callable[[Db], object]) -> None:
    """Start the store of a folder, do something with it, and stop it."""
    process = embedded_store.start(folder)
    try:
        db = connect(Config(data_dir=folder))
        work(db)
        db.close()
    finally:
        embedded_store.stop(process)


def write(db: Db) -> None:
    """Write ten pairs of keys, each pair in one script."""
    for number in range(10):
        db.run(("EVAL", TRANSACTION, 2, f"a{{{number}}}", f"b{{{number}}}", "x" * number))


def pairs(folder: Path) -> list[int]:
    """Return the numbers of the pairs that are there. Assert that each has both its keys."""
    found: list[int] = []

    def read(db: Db) -> None:
        for number in range(10):
            a, b = db.trip(("GET", f"a{{{number}}}"), ("GET", f"b{{{number}}}"))
            assert a == b
            if a is not None:
                assert a == "x" * number
                found.append(number)

    running(folder, read)
    return found


def aof(folder: Path) -> Path:
    [path] = (folder / AOF_FOLDER).glob("*.incr.aof")
    return path


def damage_cut_off(path: Path) -> None:
    """The file ends within its last transaction; zeros follow, as after a loss of power."""
    path.write_bytes(path.read_bytes()[:-40] + bytes(4096))


def damage_flipped_length(path: Path) -> None:
    data = path.read_bytes()
    at = data.rindex(b"$9\r\nxxxxxxxxx\r\n")
    path.write_bytes(data[: at + 1] + b"8" + data[at + 2 :])


def damage_unknown_command(path: Path) -> None:
    data = path.read_bytes()
    at = data.rindex(b"SET\r\n")
    path.write_bytes(data[:at] + b"SXT" + data[at + 3 :])


@pytest.mark.parametrize("damage", [damage_cut_off, damage_flipped_length, damage_unknown_command])
def test_a_damaged_end_is_refused_cut_off_and_kept_beside(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    running(tmp_path, write)
    path = aof(tmp_path)
    intact = path.read_bytes()
    damage(path)
    damaged = path.read_bytes()
    with pytest.raises(StoreError, match="linnet doctor --repair"):
        embedded_store.start(tmp_path)
    done = repair(Config(data_dir=tmp_path))
    kept = path.read_bytes()
    assert intact.startswith(kept) and damaged.startswith(kept)
    assert (done.length, done.removed) == (len(kept), len(damaged) - len(kept))
    assert done.copy and done.copy.read_bytes() == damaged and str(done.copy) in str(done)
    assert pairs(tmp_path) == list(range(9))


def test_a_whole_file_is_left_alone(tmp_path: Path) -> None:
    running(tmp_path, write)
    before = aof(tmp_path).read_bytes()
    done = repair(Config(data_dir=tmp_path))
    assert not done.removed and not done.copy and "whole" in str(done)
    assert aof(tmp_path).read_bytes() == before
    assert pairs(tmp_path) == list(range(10))


def test_a_store_that_runs_is_not_repaired(tmp_path: Path) -> None:
    def attempt(db: Db) -> None:
        write(db)
        size = aof(tmp_path).stat().st_size
        with pytest.raises(StoreError, match="already runs"):
            repair(Config(data_dir=tmp_path))
        assert aof(tmp_path).stat().st_size == size

    running(tmp_path, attempt)


def test_a_folder_without_a_store_and_another_store_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store"):
        repair(Config(data_dir=tmp_path / "none"))
    assert not (tmp_path / "none").exists()
    with pytest.raises(BadSetting, match="REDIS_URL"):
        repair(Config(redis_url="redis://127.0.0.1:1", data_dir=tmp_path))


def test_a_file_cut_anywhere_keeps_whole_commands_and_transactions(tmp_path: Path) -> None:
    path = tmp_path / "aof"
    parts = [SET, b"#TS:1700000000\r\n" + SET, MULTI + SET + SET + EXEC, SET]
    whole, ends = b"".join(parts), [0]
    for part in parts:
        ends.append(ends[-1] + len(part))
    for size in range(len(whole) + 1):
        for tail in (b"", b"\0\0\0", b"damaged\r\n"):
            path.write_bytes(whole[:size] + tail)
            assert whole_length(path, KNOWN) == max(end for end in ends if end <= size)
    for tail in (
        b"*1\r\n$9999999999\r\n",
        b"*3\r\n$3\r\nSET\r\n",
        b"*-1\r\n",
        b"*0\r\n",
        MULTI + SET,
    ):
        path.write_bytes(whole + tail)
        assert whole_length(path, KNOWN) == len(whole)

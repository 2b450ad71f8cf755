"""Every fenced script refuses a worker that has lost its lease, and changes nothing then."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import webapp
from tests.conftest import connect_raw, empty_store
from tests.support.engines import EVERY_ENGINE
from tests.support.store_dump import dump
from webapp.config import Config
from webapp.core.store import Command, Db, script

PACKAGE = Path(webapp.__file__).parent
FENCED = [
    path
    for file in sorted(PACKAGE.rglob("lua/*.lua"))
    if "local function stale" in script(path := str(file.relative_to(PACKAGE))).text
]
SOURCE = "log:7"


def call(path: str, token: int, value: str) -> Command:
    """Return a worker's call of a script, made from its header.

    Its arguments are `value`, and its keys are named after it, all in one partition: calls with
    other values have only the fences in common.
    """
    fenced, given = script(path), {"source": SOURCE, "token": token}
    keys = [
        "fences:{tag}" if key.name == "fences" else f"{key.name}:{{tag}}:{value}"
        for key in fenced.header.keys
    ]
    arguments: list[object] = []
    for name in fenced.header.arguments:
        arguments += [value] * 12 if name.kind == "..." else [given.get(name.name, value)]
    return ("EVALSHA", fenced, len(keys), *keys, *arguments)


def test_projections_have_fenced_scripts() -> None:
    assert len(FENCED) >= 40
    assert {"timelines/fanout/lua/deliver.lua", "notifications/lua/notify.lua"} <= set(FENCED)


@pytest.fixture
def db(config: Config) -> Iterator[Db]:
    """A store of keys that are not Linnet's. It is empty again at the end, for the next test."""
    db = connect_raw(config)
    yield db
    empty_store(config)
    db.close()


@EVERY_ENGINE
@pytest.mark.parametrize("path", FENCED)
def test_a_script_refuses_a_worker_whose_lease_another_took_over(path: str, db: Db) -> None:
    for token in (2, 2, 3):  # what the script makes of such values is tested elsewhere
        reply = db.trip_with_errors([call(path, token, str(token))])[0]
        assert "LEASELOST" not in str(reply)
        assert db.run(("HGETALL", "fences:{tag}")) == [SOURCE, str(token)]
    before = dump(db)
    for token in (1, 2):
        reply = db.trip_with_errors([call(path, token, "9")])[0]
        assert str(reply).startswith("LEASELOST")
    assert dump(db) == before

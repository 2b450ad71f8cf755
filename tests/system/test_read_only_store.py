"""Pages are read while the store refuses writes; forms say so, log and doctor say why."""

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, close_app, make_app
from tests.support.engines import Engine, start_server
from tests.support.pages import join
from tests.support.processes import status_of, until
from tests.support.running_site import SupervisedSite, sign_up, start as start
from webapp.accounts import store as accounts
from webapp.accounts.tokens import store as tokens
from webapp.admin import doctor
from webapp.config import Config
from webapp.core import logs
from webapp.core.errors import Unavailable
from webapp.core.store import Db, Site
from webapp.core.store.reads import parse_info
from webapp.core.web import keys

MEMBER_PAGES = (
    *("/home", "/public", "/explore", "/explore/people", "/explore/people/few", "/search?q=hello"),
    *("/notifications", "/bookmarks", "/lists", "/drafts", "/settings", "/settings/sessions"),
    *("/chats", "/chats/search?q=hello", "/@ben", "/@ben/followers", "/tags/birds"),
    *("/autocomplete/members?q=b", "/autocomplete/tags?q=b", "/statuses/new"),
)
VISITOR_PAGES = tuple("/ /public /explore /explore/people /search?q=hello /@ben /login".split())
MEGABYTE = 1024 * 1024


@contextmanager
def refused_for_replicas(db: Db, _folder: Path) -> Iterator[None]:
    db.on_every_primary("CONFIG", "SET", "min-replicas-to-write", 1)
    yield
    db.on_every_primary("CONFIG", "SET", "min-replicas-to-write", 0)


@contextmanager
def refused_for_memory(db: Db, _folder: Path) -> Iterator[None]:
    db.on_every_primary("CONFIG", "SET", "maxmemory", 1)
    yield
    db.on_every_primary("CONFIG", "SET", "maxmemory", 0)


@contextmanager
def refused_after_a_snapshot(db: Db, folder: Path) -> Iterator[None]:
    """Let a snapshot fail, as a folder has the name of its file."""
    (folder / "dump.rdb").mkdir()
    db.on_every_primary("CONFIG", "SET", "save", "3600 1")
    until(lambda: snapshot_status(db) == "err")
    yield
    (folder / "dump.rdb").rmdir()
    until(lambda: snapshot_status(db) == "ok")


@contextmanager
def refused_on_a_full_disk(db: Db, folder: Path) -> Iterator[None]:
    """Fill the disk of a store with an append-only file. Its first write that fails is answered."""
    db.on_every_primary("CONFIG", "SET", "appendfsync", "everysec", "appendonly", "yes")
    until(lambda: persistence(db)["aof_rewrite_in_progress"] == "0")
    with full(folder):
        until(lambda: not is_saved(db))
        yield
    until(lambda: is_saved(db), lambda: persistence(db))


REFUSALS = {  # what to do, what the log says of it, and the finding of doctor that does
    "replicas": (refused_for_replicas, "NOREPLICAS", "min-replicas-to-write"),
    "memory": (refused_for_memory, "used memory > 'maxmemory'", "maxmemory"),
    "snapshot": (refused_after_a_snapshot, "MISCONF", "last snapshot err"),
    "disk": (refused_on_a_full_disk, "No space left on device", "last write err"),
}


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A disk of so many MB, of 120 by default. Skips where this user may not mount one."""
    folder = tmp_path / "site"
    folder.mkdir()
    size = f"size={getattr(request, 'param', 120)}m"
    mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only an administrator mounts a disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def full(folder: Path) -> Iterator[None]:
    """Leave no room on the disk of a folder."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(MEGABYTE))
    yield
    filler.unlink()


def is_saved(db: Db) -> bool:
    with suppress(Unavailable):
        db.run(("SET", keys.rate_limit("like", "0"), "x" * 10_000))
        return db.run(("DEL", keys.rate_limit("like", "0"))) == 1
    return False


def persistence(db: Db) -> dict[str, str]:
    [info] = db.on_every_primary("INFO", "persistence")
    return parse_info(info)


def snapshot_status(db: Db) -> str:
    status = persistence(db)
    if status["rdb_bgsave_in_progress"] == "0":
        db.on_every_primary("BGSAVE")
    return status["rdb_last_bgsave_status"]


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("refusal", ["replicas", "memory", "snapshot"])
def test_pages_are_read_and_nothing_is_saved(
    settings: Config, refusal: str, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_that_pages_are_read(settings, refusal, engine, tmp_path, monkeypatch)


@pytest.mark.long
@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("disk", [20], indirect=True)
def test_pages_of_a_store_on_a_full_disk_are_read(
    settings: Config, engine: Engine, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_that_pages_are_read(settings, "disk", engine, disk, monkeypatch)


def check_that_pages_are_read(
    settings: Config, refusal: str, engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse, reason, finding = REFUSALS[refusal]
    logged: list[str] = []

    def note(level: int, text: str, *values: object, **_: object) -> None:
        logged.append(text % values)

    monkeypatch.setattr(logs.log, "log", note)
    monkeypatch.setattr(logs, "_logged_at", {})
    with start_server(folder, engine) as url:
        config = replace(settings, redis_url=url, session_touch=0)
        app = make_app(config)
        db: Db = app.extensions["linnet.db"]
        ann, ben = (join(app, login) for login in ("ann", "ben"))
        ben.post("/statuses", data={"text": "hello @ann #birds"})
        [post] = re.findall(r"/@ben/(\d+)\"", ann.get("/@ben").text)[:1]
        chat = ben.get("/chats/@ann").location
        ben.post(f"{chat}/messages", data={"text": "hello"})
        token = tokens.create(Site(db, config), accounts.get_by_login(db, "ann").uid, "a script")
        with refuse(db, folder):
            for path in (*MEMBER_PAGES, f"/@ben/{post}", chat):
                assert ann.get(path).status_code == 200, path
            for path in (*VISITOR_PAGES, f"/@ben/{post}"):
                assert app.test_client().get(path).status_code == 200, path
            headers = {"Authorization": f"Bearer {token}"}
            assert app.test_client().get("/api/chats", headers=headers).status_code == 200
            check_that_forms_are_refused(ann, app.test_client(), post)
            found = {one.message: one.remedy for one in doctor.findings(Site(db, config))}
            assert [one for one in found if finding in one], found
            assert [one for one in found if one.startswith("writes: refused")], found
            assert "linnet worker" not in " ".join(found.values()), "it could do nothing"
        assert len(logged) == 1, "once a minute"
        assert logged[0].startswith("the store refuses writes: ") and reason in logged[0]
        assert ann.post("/statuses", data={"text": "saved", "key": "k"}).status_code == 303
        close_app(app)


def check_that_forms_are_refused(ann: FlaskClient, visitor: FlaskClient, post: str) -> None:
    answers = [
        ann.post("/statuses", data={"text": "not saved", "key": "k"}),
        ann.post(f"/statuses/{post}/like"),
        visitor.post("/login", data={"login": "ann", "password": PASSWORD}),
    ]
    for answer in answers:
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "5"
        assert "We can’t save anything right now." in answer.text
        assert not re.search("OOM|NOREPLICAS|MISCONF|replica|maxmemory|disk", answer.text)
    assert "not saved" in answers[0].text, "the form keeps the text"


@pytest.mark.long
@pytest.mark.kill
@pytest.mark.xdist_group("kill")
def test_a_site_on_a_full_disk_is_read_and_saves_again_when_there_is_room(
    disk: Path, start: Callable[..., SupervisedSite]
) -> None:
    site = start()
    site.until_ready()
    store = site.child("valkey-server")
    sign_up(build_opener(HTTPCookieProcessor()), site, "ann")
    with full(disk):
        site.until_printed(f"linnet: disk full: less than 32 MB are free for {disk}.")
        until(lambda: status_of(site.port, "/@ann") == 200, site.output)
        with pytest.raises(HTTPError, match="503"):
            sign_up(build_opener(HTTPCookieProcessor()), site, "ben")
    site.until_printed("linnet: the disk has room again")
    until(lambda: status_of(site.port, "/@ann") == 200, site.output)
    sign_up(build_opener(HTTPCookieProcessor()), site, "ben")
    assert site.child("valkey-server") == store, "it did not end"

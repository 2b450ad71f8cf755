"""The access log: every line is counted once and in its day's file, whoever dies in between."""

import asyncio
import gzip
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask

from tests.conftest import SignUp
from tests.support.crashing_db import Crashed
from webapp.access_log import keys, reader, sender
from webapp.access_log.reader import move_blocks
from webapp.access_log.sender import Sender
from webapp.access_log.streams import LoggedStreams
from webapp.admin.site_status import access_log_finding
from webapp.cli import main
from webapp.config import Config
from webapp.core.store import Command, Db, Site, to_dict
from webapp.core.store.pubsub import Received, Subscription
from webapp.core.web.request_log import LISTENER, NO_ROUTE, Answered

ROOT = Path(__file__).parents[2]
DAY = time.strftime("%Y-%m-%d", time.gmtime())
WRITE_FOREVER = """
import sys
from pathlib import Path
from webapp.access_log.sender import Sender
from webapp.config import Config
from webapp.core.store import Site
from webapp.core.web.request_log import Answered
sender = Sender(Site(None, Config(data_dir=Path(sys.argv[1]), access_log=True)))
while True:
    sender(Answered("/home", 200, 0.01, 1, False, True, "127.0.0.1"))
    print(flush=True)
"""


class DyingDb(Db):
    """Makes this many trips, then raises Crashed in the next: before it is made, or after."""

    def __init__(self, db: Db, trips: int, after: bool) -> None:
        self.__dict__.update(db.__dict__)
        self.trips_left, self._after = trips, after

    def trip(self, *commands: Command) -> list[Any]:
        self.trips_left -= 1
        if self.trips_left == -1 and not self._after:
            raise Crashed
        replies = super().trip(*commands)
        if self.trips_left == -1:
            raise Crashed
        return replies


@pytest.fixture
def logged(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site with an access log in blocks of some lines."""
    monkeypatch.setattr(sender, "BLOCK_BYTES", 500)
    return Site(site.db, replace(site.config, data_dir=tmp_path, access_log=True))


def write(site: Site, count: int, status: int = 200) -> None:
    """Write lines to a file that is complete."""
    one = Sender(site)
    for number in range(count):
        one(Answered(f"/{number}", status, 0.0123, -1, False, False, "8.8.8.8"))
    one._complete()


def totals(site: Site) -> dict[str, int]:
    """Return what today adds up to."""
    found = to_dict(site.db.run(("HGETALL", keys.day_counts(DAY))))
    return {name: int(count) for name, count in found.items()}


def day_lines(site: Site) -> list[str]:
    """Return the lines of today's file."""
    path = site.config.data_dir / reader.FOLDER / f"{DAY}{reader.SUFFIX}"
    return gzip.decompress(path.read_bytes()).decode().splitlines() if path.exists() else []


def waiting(site: Site) -> int:
    return int(site.db.run(("HGET", keys.progress(), "waiting")) or 0)


@pytest.mark.parametrize("after", [False, True])
def test_totals_equal_the_lines_wherever_sender_and_reader_die(logged: Site, after: bool) -> None:
    written = 0
    for trips in range(12):
        write(logged, 10)
        written += 10
        dying = Site(DyingDb(logged.db, trips, after), logged.config)
        with suppress(Crashed):
            Sender(dying).ship()
        dying = Site(DyingDb(logged.db, trips, after), logged.config)
        with suppress(Crashed):
            move_blocks(dying)
    Sender(logged).ship()
    while logged.db.run(("XLEN", keys.blocks())):
        move_blocks(logged)
    lines = day_lines(logged)
    assert len(lines) == written == totals(logged)["lines"] == totals(logged)["2xx"]
    found = sorted(line.split("\t")[1] for line in lines)
    assert found == sorted(f"/{number}" for number in range(10) for _ in range(12))
    assert totals(logged)["country:US"] == totals(logged)["visitor"] == written
    assert waiting(logged) == 0 and not list((logged.config.data_dir / "access").iterdir())
    assert "8.8.8.8" not in "".join(lines)


def test_lines_that_are_none_are_counted_and_do_not_stop_the_reader(logged: Site) -> None:
    folder = logged.config.data_dir / sender.FOLDER
    write(logged, 1)
    [file] = folder.iterdir()
    whole = file.read_bytes()
    torn = b"2026\t/stream/x\n\n2026\t/forged\t200\t200\t1.0\t-\t-\tvisitor\tUS\n"
    file.write_bytes(
        torn
        + b"2026\tdropped\t-\t-\tx\n"
        + whole.replace(b"/0", b"/stream/a\tb")
        + b"\x1c\n"
        + whole
    )
    Sender(logged).ship()
    for _ in range(9):
        move_blocks(logged)
    assert totals(logged) == {"unreadable": 6, "lines": 1, "2xx": 1, "visitor": 1, "country:US": 1}
    assert len(day_lines(logged)) > 6 and waiting(logged) == 0


def test_a_killed_process_leaves_its_lines_to_others(logged: Site) -> None:
    folder = logged.config.data_dir
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_FOREVER, str(folder)], cwd=ROOT, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        for _ in range(200):
            process.stdout.readline()
        Sender(logged).ship()
        assert not logged.db.run(("XLEN", keys.blocks())), "it is written to"
        process.send_signal(signal.SIGKILL)
        seen = 200 + len(process.stdout.readlines())
    Sender(logged).ship()
    while logged.db.run(("XLEN", keys.blocks())):
        move_blocks(logged)
    assert 0 <= totals(logged)["lines"] - seen <= 1 and totals(logged)["member"] == len(
        day_lines(logged)
    )


def test_what_waits_is_bounded_and_what_is_dropped_is_counted(logged: Site) -> None:
    site = Site(logged.db, replace(logged.config, files_max=2_000))
    for _ in range(6):
        write(site, 30)
        Sender(site).ship()
        assert waiting(site) <= 2_000
    kept = sum(path.stat().st_size for path in (site.config.data_dir / "access").iterdir())
    assert kept < 2_000 + 4_000
    one = Sender(site)
    for _ in range(7):
        one(Answered("/", 500, 0.01, 5, True, True, ""))
    assert waiting(site) > 1_000 and not access_log_finding(site).ok
    for _ in range(9):
        Sender(site).ship()
        move_blocks(site)
    one(Answered("/", 404, 0.01, 5, True, True, ""))
    one._complete()
    Sender(site).ship()
    move_blocks(site)
    assert totals(site)["dropped"] >= 7 and totals(site)["4xx"] == 1
    assert "dropped" in access_log_finding(site).message


def test_a_second_reader_waits_and_a_late_one_changes_nothing(
    logged: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(logged, 30)
    Sender(logged).ship()
    run = type(logged.db).run

    def overtaken(db: Db, command: Command) -> Any:
        if keys.day_counts(DAY) in command:  # another worker, in the middle of the first
            monkeypatch.setattr(type(logged.db), "run", run)
            move_blocks(logged)
            assert not totals(logged), "the file is locked"
            [block] = logged.db.run(("XRANGE", keys.blocks(), "-", "+", "COUNT", 1))
            logged.db.run(("XDEL", keys.blocks(), block[0]))
        return run(db, command)

    blocks = logged.db.run(("XLEN", keys.blocks()))
    monkeypatch.setattr(type(logged.db), "run", overtaken)
    move_blocks(logged)
    lines = len(day_lines(logged))
    assert lines == totals(logged)["lines"] < 30 and blocks > 1


def test_old_files_go(logged: Site) -> None:
    folder = logged.config.data_dir / reader.FOLDER
    folder.mkdir()
    for name in ("2020-01-01.log.gz", "valkey.log"):
        (folder / name).write_bytes(b"")
    write(logged, 1)
    Sender(logged).ship()
    move_blocks(logged)
    assert {path.name for path in folder.iterdir()} == {f"{DAY}.log.gz", "valkey.log"}


def test_pages_say_their_rule_and_neither_address_nor_query(
    app: Flask, member: SignUp, tmp_path: Path, settings: Config
) -> None:
    site = Site(app.extensions["linnet.db"], replace(settings, data_dir=tmp_path, access_log=True))
    one = app.extensions[LISTENER] = Sender(site)
    ann = member("ann")
    ann.get("/home?secret=1")
    for path in ("/@ann?x=secret", "/public", "/public", "/nowhere/secret", "/healthz"):
        app.test_client().get(path, environ_overrides={"REMOTE_ADDR": "8.8.8.8"})
    one._complete()
    one.ship()
    move_blocks(site)
    text = "\n".join(day_lines(site))
    rows = [line.split("\t")[1:] for line in text.splitlines()]
    kinds = {
        (route, status, cached, who, country) for route, status, _, _, cached, who, country in rows
    }
    assert {
        ("/signup", "303", "-", "member", "-"),
        ("/home", "200", "-", "member", "-"),
        ("/public", "200", "cached", "visitor", "US"),
        ("not found", "404", "-", "visitor", "US"),
    } <= kinds
    assert not any(word in text for word in ("secret", "8.8.8.8", "127.0.0.1", "health", "@ann"))
    assert all(float(ms) >= 0 for _, _, ms, *_ in rows)


def test_it_is_off_by_default(site: Site, tmp_path: Path) -> None:
    off = Site(site.db, replace(site.config, data_dir=tmp_path))
    write(off, 3)
    Sender(off).ship()
    move_blocks(off)
    assert not list(tmp_path.iterdir()) and access_log_finding(off).ok


async def _ignore(message: Any = None) -> Any:
    return None


async def _stream(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": b"12345", "more_body": True})


@pytest.mark.parametrize(
    "path", ["/stream/x\n2026\t/forged\t200", "/stream/a\tb", "/invite/s3cret", "/" + "a" * 999]
)
def test_a_path_of_a_stream_writes_nothing_of_its_own_into_the_log(path: str) -> None:
    told: list[Answered] = []
    app = LoggedStreams(_stream, told.append, Config())
    scope = {"type": "websocket", "path": path, "headers": [], "client": ("127.0.0.1", 1)}
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, app(scope, _ignore, _ignore)).result()
    assert [one.route for one in told] == [NO_ROUTE]


def test_a_stream_is_logged_when_it_ends() -> None:
    told: list[Answered] = []
    app = LoggedStreams(_stream, told.append, Config(trusted_proxies=1))

    scope = {
        "type": "http",
        "path": "/stream/profile/7",
        "headers": [(b"cookie", b"linnet=1.x"), (b"x-forwarded-for", b"8.8.8.8")],
        "client": ("127.0.0.1", 1),
    }
    with ThreadPoolExecutor(1) as pool:  # the loop of a browser may run in this thread
        for one in (scope, {**scope, "path": "/healthz"}):
            pool.submit(asyncio.run, app(one, _ignore, _ignore)).result()
    [one] = told
    assert one._replace(seconds=0) == Answered("/stream/profile", 200, 0, 5, False, True, "8.8.8.8")


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], ["/home", "/public", "/home"]),
        (["--route", "/home"], ["/home", "/home"]),
        (["--status", "5xx"], ["/home"]),
        (["--status", "404", "--route", "/p*"], ["/public"]),
        (["--status", "40"], []),
    ],
)
def test_the_command_follows_routes_and_statuses(
    settings: Config, monkeypatch: pytest.MonkeyPatch, options: Sequence[str], shown: list[str]
) -> None:
    rows = (("/home", "200"), ("/public", "404"), ("/home", "503"))
    text = "".join(f"t\t{route}\t{status}\t1\t2\t-\tvisitor\tDE\n" for route, status in rows)
    waits = iter([Received([text])])

    def wait(subscription: Subscription, seconds: float) -> Received:
        for one in waits:
            return one
        raise KeyboardInterrupt

    monkeypatch.setattr(Subscription, "wait", wait)
    env = {"REDIS_URL": settings.store_url}
    result = CliRunner().invoke(main, ["logs", "follow", *options], env=env)
    assert [line.split("\t")[1] for line in result.output.splitlines() if "\t" in line] == shown

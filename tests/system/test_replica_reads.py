"""Visitors' pages that are read from a replica never show what was deleted or hidden."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from threading import Event

import pytest
from flask import Flask
from redis import Redis

from tests.conftest import BASE, close_app, long, make_app
from tests.support.pages import join, post_status
from tests.support.processes import until
from tests.support.replicated_store import Servers, servers as servers
from webapp.app import read_from_replicas
from webapp.config import load
from webapp.core.store import Db, Site
from webapp.core.store.servers import replica_reads
from webapp.core.store.servers.replica_reads import ReplicaReads
from webapp.pagecache.invalidation import fence

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("killing")]
SEARCH = "/search?q=birds"
PAGES = (  # of one hashtag, those that are cached and those that are not
    *("/tags/birds", "/tags/birds.atom", "/public", "/public.atom", "/explore/tags"),
    *(SEARCH, "/search.atom?q=birds", "/@ann", "/@ann/feed.atom"),
)
PAUSE_SECONDS = 20.0
PAGE_SECONDS = 2.0  # that a visitor may wait for a page, on a busy machine


@pytest.fixture(params=["direct", long("sentinel")])
def app(request: pytest.FixtureRequest, servers: Servers, tmp_path: Path) -> Iterator[Flask]:
    """The site, which reads visitors' pages from the replica."""
    address = f"redis://127.0.0.1:{servers.primary_port}"
    if request.param == "sentinel":
        address = f"redis://127.0.0.1:{servers.sentinel_port}/birds"
    else:
        servers.sentinel.kill()  # it would bring a replica back that a test cuts off
    settings = {**BASE, "redis_url": address, "media_dir": str(tmp_path / "media")}
    app = make_app(load(settings, {}))
    read_from_replicas(app, app.extensions["linnet.db"])
    until(lambda: _replicas(app).usable)
    yield app
    close_app(app)


def _replicas(app: Flask) -> ReplicaReads:
    db: Db = app.extensions["linnet.db"]
    assert db.replicas
    return db.replicas


def served(port: int) -> int:
    """Return how many reads of lists a server has had, other than of the fence."""
    with Redis(port=port, decode_responses=True) as client:
        stats = client.info("commandstats")
        return sum(stats.get(f"cmdstat_{one}", {}).get("calls", 0) for one in ("hmget", "hgetall"))


def shown(app: Flask, text: str, pages: tuple[str, ...] = PAGES) -> list[str]:
    """Return which pages show a text to a new visitor, by their addresses."""
    found = []
    for page in pages:
        response = app.test_client().get(page)
        assert response.status_code in (200, 403), page
        if text in response.text:
            found.append(page)
    return found


def reads_of(ports: tuple[int, ...], act: Callable[[], object]) -> list[int]:
    """Return how many reads of lists each server has while something happens."""
    before = [served(port) for port in ports]
    act()
    return [served(port) - one for port, one in zip(ports, before, strict=True)]


def test_visitors_pages_come_from_the_replica_and_those_of_members_do_not(
    app: Flask, servers: Servers
) -> None:
    ann = join(app, "ann")
    post_status(ann, "A red kite #birds")
    ports = servers.primary_port, servers.replica_port
    until(lambda: SEARCH in shown(app, "A red kite"), patience=20)
    of_visitors = reads_of(ports, lambda: shown(app, "A red kite", (SEARCH, "/tags/birds")))
    assert of_visitors[0] == 0 < of_visitors[1]
    of_members = reads_of(ports, lambda: [ann.get(page) for page in PAGES if ".atom" not in page])
    assert of_members[1] == 0 < of_members[0]


@pytest.mark.parametrize("app", ["direct"], indirect=True)
def test_a_replica_that_lags_behind_shows_nothing_that_was_hidden(
    app: Flask, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = join(app, "ann"), join(app, "ben")
    deleted, hidden = post_status(ann, "A red kite #birds"), "Two blue tits"
    post_status(ben, f"{hidden} #birds")
    replicas = _replicas(app)
    until(lambda: SEARCH in shown(app, hidden), patience=20)
    replicas.stop()  # so that it is asked, however late it is
    usable = replicas.usable
    with Redis(port=servers.replica_port) as client:
        client.replicaof("NO", "ONE")
    ann.post(f"/statuses/{deleted}/delete")
    assert ben.post("/settings/privacy", data={"protected": "y"}).status_code == 303
    for _ in range(2):  # what is stored, too
        replicas.usable = usable
        assert shown(app, "A red kite") == shown(app, hidden) == []
        assert replicas.usable == usable  # it answered
    monkeypatch.setattr(replica_reads, "_number", lambda _: 0)
    assert shown(app, "A red kite", (SEARCH,)) == [SEARCH]  # without the fence it would


@pytest.mark.long
def test_a_replica_that_pauses_shows_nothing_that_was_hidden(app: Flask, servers: Servers) -> None:
    ann, ben = join(app, "ann"), join(app, "ben")
    deleted, hidden = post_status(ann, "A red kite #birds"), "Two blue tits"
    post_status(ben, f"{hidden} #birds")
    until(lambda: SEARCH in shown(app, hidden), patience=20)
    are_hidden, finish, slow = Event(), Event(), list[float]()

    def keep_looking() -> list[str]:
        leaks = []
        while not finish.is_set():
            must_hide, began = are_hidden.is_set(), time.monotonic()
            found = [*shown(app, "A red kite"), *shown(app, hidden)]
            slow.append((time.monotonic() - began) / len(PAGES) / 2)
            leaks += found if must_hide else []
        return leaks

    with ThreadPoolExecutor(2) as threads:
        looking = [threads.submit(keep_looking) for _ in range(2)]
        os.kill(servers.replica.pid, SIGSTOP)
        ann.post(f"/statuses/{deleted}/delete")
        ben.post("/settings/privacy", data={"protected": "y"})
        are_hidden.set()
        time.sleep(PAUSE_SECONDS)
        assert _replicas(app).usable == []
        os.kill(servers.replica.pid, SIGCONT)
        until(lambda: _replicas(app).usable)
        time.sleep(1)
        finish.set()
        assert [one.result() for one in looking] == [[], []]
    assert max(slow) < PAGE_SECONDS
    other = post_status(ann, "A third bird #birds")
    until(lambda: SEARCH in shown(app, "A third bird"), patience=20)
    ports = servers.primary_port, servers.replica_port
    assert other and reads_of(ports, lambda: shown(app, "A third bird", (SEARCH,)))[1] > 0


def test_trips_with_writes_are_made_at_the_primary(app: Flask, servers: Servers) -> None:
    db: Db = app.extensions["linnet.db"]
    db.ask_replicas(True)
    ports = servers.primary_port, servers.replica_port
    both = [("HGETALL", "outages"), ("DEL", "nothing")]
    assert reads_of(ports, lambda: db.trip(*both)) == [1, 0]
    until(lambda: reads_of(ports, lambda: db.trip(both[0])) == [0, 1])
    db.ask_replicas(False)
    assert reads_of(ports, lambda: db.trip(both[0])) == [1, 0]


def test_a_cluster_is_read_from_its_primaries(site: Site) -> None:
    assert site.db.start_replica_reads(fence()) is site.db.is_single_server
    site.db.ask_replicas(True)
    assert site.db.run(("GET", "schema")) == "linnet:2"

"""No write is acknowledged that a failover could lose, if writes wait for a replica."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from threading import Event

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import Redis

from tests.conftest import BASE, PASSWORD, long, make_app
from tests.support.processes import until
from tests.support.replicated_store import Servers, servers as servers
from tests.support.settings import with_settings
from webapp.admin import doctor, store_findings
from webapp.config import load
from webapp.core.errors import Unavailable
from webapp.core.forms.idempotency import new_form_key
from webapp.core.store import Db
from webapp.core.web.context import site_of

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("killing")]
AUTHORS = 3


@pytest.fixture
def app(servers: Servers, tmp_path: Path) -> Iterator[Flask]:
    """The site behind the Sentinel, with one replica to wait for."""
    settings = {
        **BASE,
        "redis_url": f"redis://127.0.0.1:{servers.sentinel_port}/birds",
        "media_dir": str(tmp_path / "media"),
        "write_replicas": 1,
    }
    app = make_app(load(settings, {}))
    yield app
    db: Db = app.extensions["linnet.db"]
    db.close()


@pytest.mark.long
def test_a_write_that_no_replica_has_is_refused_until_one_has_it(
    app: Flask, servers: Servers
) -> None:
    author = sign_up(app, "ann")
    key = new_form_key()
    os.kill(servers.replica.pid, SIGSTOP)
    for _ in range(2):  # the first stores it, and the second repeats it
        response = post(author, "One larch", key)
        assert response[0] == 503
        assert "save that safely" in response[1]
    assert author.get("/home").status_code == 200
    os.kill(servers.replica.pid, SIGCONT)
    until(lambda: post(author, "One larch", key)[0] == 303)
    assert author.get("/@ann").text.count("One larch") == 1


def test_doctor_says_what_a_failover_could_lose(app: Flask, servers: Servers) -> None:
    site = site_of(app)

    def finding(line: str = "replication", **changes: int) -> store_findings.Finding:
        findings = doctor.findings(with_settings(site, **changes))
        return next(finding for finding in findings if finding.message.startswith(line))

    assert not finding().ok
    site.db.on_every_primary("CONFIG", "SET", "min-replicas-to-write", "1")
    assert finding().ok
    assert not finding(write_replicas=0).ok
    assert not finding(write_replicas=2).ok
    expected = f"{servers.replica_port}: link up, append-only file off"
    until(lambda: expected in finding("replica ").message)
    with Redis(port=servers.replica_port) as replica:
        replica.config_set("appendonly", "yes")
        assert finding("replica ").ok and not finding("replica ", write_replicas_disk=True).ok
        replica.config_set("appendfsync", "always")  # once a second is as long as a write waits
        until(lambda: is_kept_on_disk(site.db))
    assert finding("replica ", write_replicas_disk=True).ok
    assert finding("WRITE_REPLICAS_DISK", write_replicas_disk=True).ok
    os.kill(servers.replica.pid, SIGSTOP)
    assert "it does not answer" in finding("replica ").message
    os.kill(servers.replica.pid, SIGCONT)


@pytest.mark.parametrize(("author_count", "posts"), [(1, 5), long(AUTHORS, 30)])
def test_a_failover_loses_no_acknowledged_post(
    app: Flask, servers: Servers, author_count: int, posts: int
) -> None:
    authors = [sign_up(app, f"author{number}") for number in range(author_count)]
    acknowledged: list[str] = []
    finish = Event()

    def keep_posting(number: int) -> None:
        count = 0
        while not finish.is_set():
            count += 1
            text = f"number {count} of author {number}"
            if post(authors[number], text, new_form_key())[0] == 303:
                acknowledged.append(text)

    with ThreadPoolExecutor(author_count) as threads:
        posting = [threads.submit(keep_posting, number) for number in range(author_count)]
        until(lambda: len(acknowledged) > posts)
        os.kill(servers.primary.pid, SIGSTOP)
        with Redis(port=servers.replica_port) as client:
            until(lambda: client.info("replication")["role"] == "master")
        os.kill(servers.primary.pid, SIGCONT)
        with Redis(port=servers.primary_port) as client:
            until(lambda: client.info("replication")["role"] == "slave")
            until(lambda: client.info("replication")["master_link_status"] == "up")
        before = len(acknowledged)
        until(lambda: len(acknowledged) > before + posts // 3)
        finish.set()
        for future in posting:
            future.result()
    with Redis(port=servers.replica_port, decode_responses=True) as client:
        stored = {client.hget(key, "text") for key in client.scan_iter("status:*")}
    assert set(acknowledged) <= stored


def is_kept_on_disk(db: Db) -> bool:
    """Return whether the file of a replica has a write in time."""
    db.wait_for_replicas(1, on_disk=True)
    try:
        db.run(("SET", "schema", "linnet:2"))
    except Unavailable:
        return False
    finally:
        db.wait_for_replicas(0)
    return True


def sign_up(app: Flask, login: str) -> FlaskClient:
    """Return the browser of a new member."""
    browser = app.test_client()
    form = {"login": login, "name": login.title(), "password": PASSWORD}
    assert browser.post("/signup", data=form).status_code == 303
    return browser


def post(browser: FlaskClient, text: str, key: str) -> tuple[int, str]:
    """Post a status, and return the response's status and page."""
    response = browser.post("/statuses", data={"text": text, "key": key})
    return response.status_code, response.text

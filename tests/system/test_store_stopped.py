"""The site answers what it can while the store hangs, and says so where it cannot."""

import os
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from signal import SIGCONT, SIGSTOP

import pytest

from tests.support.processes import PATIENCE, status_of, until
from tests.support.running_site import SupervisedSite, start as start
from webapp.config import load
from webapp.core.store.connection import connect
from webapp.core.store.servers import circuit_breaker
from webapp.pagecache.local import TTL_SECONDS

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
Start = Callable[..., SupervisedSite]
CLIENTS = 40  # more than the pages have threads
NOTICING_SECONDS = 5.0  # for a process on a busy machine to find the store silent
PAGES = ("/", "/public", "/@nobody", "/login", "/home")
STYLESHEET = re.compile(r'href="(/static/[^"]+\.css)"')


@pytest.mark.long
def test_static_files_and_health_do_not_wait_for_a_stopped_store(start: Start) -> None:
    site = start(STORE_TIMEOUT="600")
    site.until_ready()
    stylesheet = STYLESHEET.search(get(site, "/")[1])
    assert stylesheet
    with stopped_store(site), crowd(site) as waiting:
        for path in ("/healthz", stylesheet[1], "/login", "/login?next=%2Fhome") * 10:
            assert status_of(site.port, path) == 200
        assert not any(answer.done() for answer in waiting)
        os.kill(site.child("valkey-server"), SIGCONT)
        assert {answer.result()[0].status for answer in waiting} == {404}


def test_pages_of_a_stopped_store_say_so_and_come_back_with_it(kept_site: SupervisedSite) -> None:
    site = kept_site
    with stopped_store(site):
        with crowd(site) as waiting:
            assert get(site, "/login")[0].status == 200
            for answer in waiting:
                response, page = answer.result()
                assert response.status == 503
                assert response.headers["Retry-After"]
                assert response.headers["X-Request-ID"]
                assert "<title>Back in a moment" in page
        assert status_of(site.port, "/readyz") == 503
    until(lambda: status_of(site.port, "/readyz") == 200, site.messages)
    for path in PAGES:
        until(lambda path=path: status_of(site.port, path) < 500, path)
    db = connect(load({"data_dir": str(site.folder)}))
    assert until(lambda: db.read(circuit_breaker.outages()).count, site.messages)
    db.close()


@pytest.mark.long
def test_visitors_get_copies_of_pages_while_the_store_is_stopped(
    kept_site: SupervisedSite,
) -> None:
    site = kept_site
    copied = until(lambda: copy_of(site, "/public"), lambda: site.messages)
    with stopped_store(site):
        assert get(site, "/@nobody")[0].status == 503  # from now on nobody waits
        for _ in range(CLIENTS):
            response, page = get(site, "/public")
            assert (response.status, page) == (200, copied)
        assert get(site, "/login")[0].status == 200
        assert get(site, "/@nobody")[0].status == 503
    until(lambda: get(site, "/@nobody")[0].status == 404, site.messages)


@pytest.mark.long
def test_visitors_do_not_wait_for_the_time_out_of_a_stopped_store(start: Start) -> None:
    site = start(WEB_WORKERS="1", STORE_TIMEOUT="600")
    site.until_ready()
    until(lambda: copy_of(site, "/public"), lambda: site.messages)
    with stopped_store(site):
        stopped_at = time.monotonic()
        until(lambda: time.monotonic() > stopped_at + TTL_SECONDS + NOTICING_SECONDS)
        assert get(site, "/public")[0].status == 200  # the first one who finds the store silent
        with crowd(site) as waiting:
            for _ in range(CLIENTS):
                assert get(site, "/public")[0].status == 200
            assert not any(answer.done() for answer in waiting)
            os.kill(site.child("valkey-server"), SIGCONT)


@contextmanager
def stopped_store(site: SupervisedSite) -> Iterator[None]:
    """Stop the store of a site as a hanging disk would, and let it go on at the end."""
    store = site.child("valkey-server")
    os.kill(store, SIGSTOP)
    try:
        yield
    finally:
        os.kill(store, SIGCONT)


def copy_of(site: SupervisedSite, path: str) -> str:
    """Return a page if the process has sent a copy of it, which takes no trip to the store.

    It keeps none for a moment after it has started, or has found the store silent.
    """
    response, page = get(site, path)
    request = rf"\[{response.headers['X-Request-ID']}\] GET {path} 200 \S+ trips=0"
    return page if re.search(request, site.messages) else ""


@contextmanager
def crowd(site: SupervisedSite) -> Iterator[list[Future[tuple[HTTPResponse, str]]]]:
    """Ask for more pages than the site has threads."""
    with ThreadPoolExecutor(CLIENTS) as threads:
        yield [threads.submit(get, site, f"/@member{number}") for number in range(CLIENTS)]


def get(site: SupervisedSite, path: str) -> tuple[HTTPResponse, str]:
    """Return the response to a GET, and its body."""
    with closing(HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        return response, response.read().decode()

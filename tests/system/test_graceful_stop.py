"""A stop finishes what is in flight: slow requests that have begun get their answers."""

from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection

import pytest

from tests.support.processes import PATIENCE
from tests.support.running_site import SupervisedSite, start as start

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
CLIENTS = 50
FORM = b"login=nobody&password=not+a+password"
HALF = len(FORM) // 2


@pytest.mark.long
def test_a_stop_answers_fifty_slow_requests_of_a_cold_site(
    start: Callable[..., SupervisedSite],
) -> None:
    site = start()
    site.until_ready()
    clients = [begin_sign_in(site) for _ in range(CLIENTS)]
    site.process.terminate()
    for client in clients:
        client.send(FORM[HALF:])
    statuses = [read_status(client) for client in clients]
    assert site.wait() == 0
    assert len(statuses) == CLIENTS
    assert all(status < 500 for status in statuses), statuses


def begin_sign_in(site: SupervisedSite) -> HTTPConnection:
    """Send the head and half of the body of a sign-in."""
    client = HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)
    client.putrequest("POST", "/login")
    client.putheader("Content-Type", "application/x-www-form-urlencoded")
    client.putheader("Content-Length", str(len(FORM)))
    client.endheaders(FORM[:HALF])
    return client


def read_status(client: HTTPConnection) -> int:
    """Read a response and close its connection. Return its status."""
    with closing(client):
        response = client.getresponse()
        response.read()
        return response.status

"""A running site from outside: whom it calls of its own accord, and what it says it is made of."""

import re
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.support.running_site import (
    PATIENCE,
    SupervisedSite,
    descendants,
    sign_up,
    site as site,
    sites as sites,
)

SECONDS = 5.0  # for jobs that run each second, and the first ones of each minute
SOCKET = re.compile(r"socket:\[(\d+)\]")
LOCAL = ("0100007F", "00000000", "0" * 32, "00000000000000000000000001000000")
PATHS = ("/", "/login", "/nowhere", "/api/v2/instance", "/nodeinfo/2.0", "/api/nothing", "/readyz")
PARTS = re.compile(
    r"(?i)\b(granian|python|werkzeug|flask|jinja|valkey|redis|linnet)\W{0,3}v?\d+\.\d"
)
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no /proc"),
]


def sockets(pid: int) -> set[str]:
    """Return the numbers of a process's sockets."""
    found = set()
    for link in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            found.update(SOCKET.findall(str(link.readlink())))
        except OSError:
            continue  # it was closed
    return found


def far_ends(pid: int) -> set[str]:
    """Return the addresses that a process's sockets are connected to, or send to, in hex."""
    own, found = sockets(pid), set()
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[9] in own:
                found.add(fields[2].partition(":")[0])
    return found


def test_the_processes_of_a_site_are_connected_to_this_machine_alone(site: SupervisedSite) -> None:
    sign_up(build_opener(HTTPCookieProcessor(CookieJar())), site, "ann")
    deadline, seen = time.monotonic() + SECONDS, set[str]()
    while time.monotonic() < deadline:
        for process in (site.process.pid, *(one.pid for one in descendants(site.process.pid))):
            seen |= far_ends(process)
        time.sleep(0.05)
    assert seen and seen <= set(LOCAL)


def test_no_answer_names_the_version_of_a_part(site: SupervisedSite) -> None:
    for port in (site.port, site.stream_port):
        for path in PATHS:
            connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", path)
            with closing(connection):
                answer = connection.getresponse()
                told = f"{answer.headers}\n{answer.read().decode()}"
            assert not PARTS.findall(told), (port, path)

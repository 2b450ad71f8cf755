"""A server that is asked to end fails its health checks first, and serves all else meanwhile."""

import time
from pathlib import Path
from signal import SIGTERM

import pytest

from tests.support.processes import RunningSite, free_port, status_of, until

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
LONG = 600.0


@pytest.mark.parametrize(("command", "path"), [("serve", "/login"), ("stream", "/nobody")])
def test_health_checks_fail_first_and_a_second_signal_ends_the_wait(
    tmp_path: Path, command: str, path: str
) -> None:
    site, port = RunningSite(tmp_path, drain_seconds=LONG, web_workers=1), free_port()
    try:
        program = site.serve(port) if command == "serve" else site.stream(port)
        before = status_of(port, path)
        program.send(SIGTERM)
        until(lambda: status_of(port, "/healthz") == 503, lambda: program.output_tail)
        assert status_of(port, "/readyz") == 503
        assert status_of(port, path) == before != 0
        program.send(SIGTERM)
        assert program.wait() == 0
        assert status_of(port, path) == 0
    finally:
        site.close()


def test_a_server_ends_by_itself_after_the_drain(tmp_path: Path) -> None:
    site = RunningSite(tmp_path, drain_seconds=1, web_workers=1)
    try:
        program, began_at = site.serve(free_port()), time.monotonic()
        assert program.stop() == 0 and time.monotonic() - began_at >= 1
    finally:
        site.close()

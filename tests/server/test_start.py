"""Programs as an operator starts them: `flask run`, and commands with an outdated store."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.fake_store import fake_store
from tests.support.fork_server import fork_server
from tests.support.processes import PATIENCE, ROOT, free_port, status_of, until
from webapp.config import Config


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment with these settings of the site, and no others."""
    own_settings = {field.name.upper() for field in fields(Config)}
    return {
        name: value for name, value in os.environ.items() if name not in own_settings
    } | settings


@contextmanager
def flask_run(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run `flask run` on a data folder, with its messages in a file beside it."""
    command = [sys.executable, "-m", "flask", "--app", "webapp", "run", "--port", str(port)]
    with (folder.parent / "flask.log").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(DATA_DIR=str(folder)), stdout=output, stderr=output
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.mark.slow
def test_flask_run_serves_a_page_and_starts_the_store(tmp_path: Path) -> None:
    port = free_port()
    with flask_run(tmp_path / "data", port) as process:
        until(
            lambda: status_of(port) == 200 or process.poll() is not None,
            lambda: (tmp_path / "flask.log").read_text(),
        )
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", "/signup")
        response = connection.getresponse()
        assert response.status == 200 and b'name="csrf_token"' in response.read()
        connection.close()
    assert (tmp_path / "data/secret_key").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "serve", "stream", "worker"])
def test_an_outdated_store_is_a_one_line_error(command: str, tmp_path: Path) -> None:
    output = tmp_path / "messages.log"
    with fake_store("6.2.14") as url:
        env = environment(
            REDIS_URL=url,
            SECRET_KEY="of this test",
            DATA_DIR=str(tmp_path),
            PORT=str(free_port()),
            STREAM_PORT=str(free_port()),
        )
        process = fork_server().start([command], env, output)
        assert process.wait(PATIENCE) == 1
    assert output.read_text() == (
        "Error: The store is Redis 6.2.14; Linnet needs Redis 7 or Valkey 7.2, or newer.\n"
    )

"""A store that is reached over TLS."""

import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.connection import SSLConnection
from redis.exceptions import RedisError

from tests.support.certificates import make_certificate
from tests.support.processes import free_port, until
from webapp.core.store.connection import open_store

REDIS = shutil.which("redis-server")


@pytest.mark.skipif(not REDIS, reason="the embedded store has no TLS")
def test_a_new_connection_may_have_received_the_tickets_of_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, (certificate, key) = free_port(), make_certificate(tmp_path, "localhost")
    options = f"--port 0 --tls-port {port} --bind 127.0.0.1 --tls-auth-clients no".split()
    files = f"--tls-cert-file {certificate} --tls-key-file {key} --tls-ca-cert-file {certificate}"
    connect = SSLConnection.connect

    def connect_slowly(*values: Any) -> None:
        connect(*values)
        time.sleep(0.05)  # until they are here

    def answers() -> bool:
        with suppress(RedisError), Redis(port=port, ssl=True, ssl_cert_reqs="none") as client:
            return bool(client.ping())
        return False

    command = [str(REDIS), *options, *files.split(), "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as store:
        try:
            until(answers)
            monkeypatch.setattr(SSLConnection, "connect", connect_slowly)
            db = open_store(f"rediss://127.0.0.1:{port}?ssl_cert_reqs=none")
            assert db.run(("PING",)) == "PONG"
            db.close()
        finally:
            store.terminate()

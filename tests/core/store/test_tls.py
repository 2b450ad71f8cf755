"""A store that is reached over TLS."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.connection import SSLConnection
from redis.exceptions import RedisError

from tests.support.certificates import make_certificate
from tests.support.processes import free_port, until
from webapp.config import Config
from webapp.core.errors import StoreError
from webapp.core.store.connection import connect, open_store

REDIS = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(not REDIS, reason="the embedded store has no TLS")


@contextmanager
def server(folder: Path, certificate: Path, key: Path, *arguments: str) -> Iterator[int]:
    """Run a server with TLS alone and give its port."""
    port = free_port()
    options = f"--port 0 --tls-port {port} --bind 127.0.0.1 --tls-auth-clients no --dir {folder}"
    files = f"--tls-cert-file {certificate} --tls-key-file {key} --tls-ca-cert-file {certificate}"

    def answers() -> bool:
        with suppress(RedisError), Redis(port=port, ssl=True, ssl_cert_reqs="none") as client:
            return bool(client.ping())
        return False

    command = [str(REDIS), *arguments, *options.split(), *files.split()]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as store:
        try:
            until(answers)
            yield port
        finally:
            store.terminate()


def test_a_new_connection_may_have_received_the_tickets_of_tls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect_at_once = SSLConnection.connect

    def connect_slowly(*values: Any) -> None:
        connect_at_once(*values)
        time.sleep(0.05)  # until they are here

    with server(tmp_path, *make_certificate(tmp_path, "localhost"), "--save", "") as port:
        monkeypatch.setattr(SSLConnection, "connect", connect_slowly)
        db = open_store(f"rediss://127.0.0.1:{port}?ssl_cert_reqs=none")
        assert db.run(("PING",)) == "PONG"
        db.close()


def test_sentinels_and_their_primary_may_have_an_authority_of_their_own(
    tmp_path: Path, settings: Config
) -> None:
    files = make_certificate(tmp_path, "127.0.0.1", "127.0.0.1")
    conf = tmp_path / "sentinel.conf"
    with server(tmp_path, *files, "--save", "") as primary:
        conf.write_text(f"tls-replication yes\nsentinel monitor linnet 127.0.0.1 {primary} 1\n")
        with server(tmp_path, *files, str(conf), "--sentinel") as sentinel:
            url = f"rediss://127.0.0.1:{sentinel}/linnet"
            with pytest.raises(StoreError, match="network:ConnectionError"):
                connect(replace(settings, redis_url=url))
            db = connect(replace(settings, redis_url=f"{url}?ssl_ca_certs={files[0]}"))
            assert db.run(("PING",)) == "PONG"
            db.close()

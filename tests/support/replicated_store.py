"""A store with a replica, and a Sentinel that watches both."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from tests.support.processes import free_port, until
from webapp.server import embedded_store

DOWN_AFTER = 1_500  # milliseconds of silence until Sentinel promotes the replica


@dataclass
class Servers:
    """A primary, its replica, and a Sentinel that watches both."""

    primary: subprocess.Popen[bytes]
    replica: subprocess.Popen[bytes]
    sentinel: subprocess.Popen[bytes]
    primary_port: int
    replica_port: int
    sentinel_port: int


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """Run the servers until the test ends."""
    primary, replica, sentinel = free_port(), free_port(), free_port()
    conf = tmp_path / "sentinel.conf"
    conf.write_text(
        f"port {sentinel}\nbind 127.0.0.1\ndir {tmp_path}\nlogfile {tmp_path}/sentinel.log\n"
        f"sentinel monitor birds 127.0.0.1 {primary} 1\n"
        f"sentinel down-after-milliseconds birds {DOWN_AFTER}\n"
        "sentinel failover-timeout birds 10000\n"
    )
    with ExitStack() as stack:

        def start(*options: str) -> subprocess.Popen[bytes]:
            command = [embedded_store.binary_path(), *options]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return process

        def start_store(port: int, *options: str) -> subprocess.Popen[bytes]:
            folder = tmp_path / str(port)
            folder.mkdir()
            place = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder))
            return start(*place, "--save", "", "--repl-diskless-sync-delay", "0", *options)

        processes = (
            start_store(primary),
            start_store(replica, "--replicaof", f"127.0.0.1 {primary}"),
        )
        with Redis(port=primary) as client:
            until(lambda: _answers(client))
            until(lambda: client.info("replication")["connected_slaves"] == 1)
            until(lambda: client.wait(1, 100) == 1)
        watcher = start(str(conf), "--sentinel")
        with Redis(port=sentinel, decode_responses=True) as client:
            until(lambda: _answers(client))
            until(lambda: client.execute_command("SENTINEL", "REPLICAS", "birds"))
        yield Servers(*processes, watcher, primary, replica, sentinel)


def _answers(client: Redis) -> bool:
    with suppress(RedisError):
        return bool(client.ping())
    return False

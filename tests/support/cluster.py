"""A Cluster of three real Valkeys on the loopback interface, for as long as a block runs."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from webapp.server import embedded_store

NODES = 3
SLOTS = 16_384
DEADLINE = 60.0  # seconds to form


@contextmanager
def start_cluster(folder: Path) -> Iterator[str]:
    """Starts and joins the nodes; gives the address of one of them."""
    ports = _free_ports(NODES)
    processes = [_start(folder / str(port), port) for port in ports]
    try:
        clients = [Redis(port=port, decode_responses=True) for port in ports]
        for client in clients:
            until(lambda client=client: client.ping())
        _join(clients, ports)
        until(lambda: all(_formed(client) for client in clients))
        for client in clients:
            client.close()
        yield f"redis://127.0.0.1:{ports[0]}"
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    folder.mkdir()
    options = {
        "port": port,
        "bind": "127.0.0.1",
        "dir": folder,
        "cluster-enabled": "yes",
        "cluster-node-timeout": 5000,
        "save": "",
        "appendonly": "no",
        "logfile": folder / "log",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return subprocess.Popen([embedded_store.binary_path(), *words])


def _join(clients: list[Redis], ports: list[int]) -> None:
    share = -(-SLOTS // NODES)
    for number, client in enumerate(clients):
        client.execute_command(
            "CLUSTER", "ADDSLOTSRANGE", number * share, min((number + 1) * share, SLOTS) - 1
        )
        client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        if number:
            client.execute_command("CLUSTER", "MEET", "127.0.0.1", ports[0])


def _formed(client: Redis) -> bool:
    info = client.execute_command("CLUSTER INFO")
    facts = info if isinstance(info, dict) else dict(line.split(":") for line in info.split())
    return facts["cluster_state"] == "ok" and facts["cluster_known_nodes"] == str(NODES)


def until(true: object) -> None:
    """Waits for something to become true."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        try:
            if true():  # type: ignore[operator]
                return
        except RedisError:
            pass
        time.sleep(0.02)
    raise TimeoutError("the cluster did not form")


def _free_ports(count: int) -> list[int]:
    """Ports whose neighbour 10,000 above, the cluster's own bus, is free as well."""
    found: list[int] = []
    first = (
        11_000 + os.getpid() * 61 % 10_000
    )  # elsewhere than another test process, which looks at the same time
    for port in range(first, first + 1_000):
        if len(found) < count and free(port) and free(port + 10_000):
            found.append(port)
    return found


def free(port: int) -> bool:
    """Whether nobody listens on a port of the loopback interface."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

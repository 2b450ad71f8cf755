"""Run a Cluster of three real stores on loopback."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from redis import Redis
from redis._parsers.commands import CommandsParser
from redis.exceptions import RedisError

from tests.support.engines import SELECTED, Engine

NODES = 3
SLOTS = 16_384
DEADLINE = 60.0  # seconds to form

_load_commands = CommandsParser.initialize
_commands: dict[str, Any] = {}


def _load_commands_once(parser: CommandsParser, client: Any) -> None:
    """Ask a server for its commands once per test process: the reply is long and never changes."""
    if not _commands:
        _load_commands(parser, client)
        _commands.update(parser.commands)
    parser.commands = _commands


CommandsParser.initialize = _load_commands_once  # type: ignore[method-assign]


@contextmanager
def start_cluster(folder: Path, engine: Engine = SELECTED) -> Iterator[str]:
    """Start and join the nodes while the block runs. Yield the address of one of them."""
    ports = free_ports(NODES)
    processes = [_start(engine.binary, folder / str(port), port) for port in ports]
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


def _start(binary: str, folder: Path, port: int) -> subprocess.Popen[bytes]:
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
    return subprocess.Popen([binary, *words])


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


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition to become true."""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        try:
            if condition():
                return
        except RedisError:
            pass
        time.sleep(0.02)
    raise TimeoutError("the cluster did not form")


def free_ports(count: int) -> list[int]:
    """Return ports that are free, as is the port 10,000 above, the bus of the cluster."""
    ports: list[int] = []
    # Test processes that search at the same time begin at different ports.
    first = 11_000 + os.getpid() * 61 % 10_000
    for port in range(first, first + 1_000):
        if len(ports) < count and free(port) and free(port + 10_000):
            ports.append(port)
    return ports


def free(port: int) -> bool:
    """Return True if no process listens on a loopback port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True

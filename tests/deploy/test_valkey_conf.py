"""The store of deploy/valkey, started as containers do: a primary, a replica, three Sentinels."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from redis import Redis
from redis.exceptions import RedisError

from tests.support.cluster import free_ports
from tests.support.processes import PATIENCE, ROOT, free_port, until
from webapp.admin.store_findings import server_findings
from webapp.config import Config
from webapp.core.errors import Refused, StoreError
from webapp.core.store import Db
from webapp.core.store.connection import connect
from webapp.server import embedded_store

pytestmark = pytest.mark.kill
FOLDER = ROOT / "deploy/valkey"
PASSWORD = "of-this-test"
UNITS = {"gb": 2**30, "mb": 2**20}
ENGINES = [embedded_store.binary_path(), *filter(None, [shutil.which("redis-server")])]
needs_redis_cli = pytest.mark.skipif(
    not shutil.which("redis-cli"), reason="there is no redis-cli on the PATH"
)
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that runs start.sh on a port, until the test ends."""
    with ExitStack() as stack:

        def start(
            kind: str, port: int, folder: Path = FOLDER, words: Sequence[str] = (), **env: str
        ) -> subprocess.Popen[bytes]:
            data = tmp_path / str(port)
            data.mkdir(exist_ok=True)
            names = {"DATA": str(data), "STORE_ADDRESS": "127.0.0.1", "STORE_PASSWORD": PASSWORD}
            options = ["--port", str(port), "--bind", "127.0.0.1"]
            process = subprocess.Popen(
                [str(folder / "start.sh"), kind, *options, *words],
                env={**os.environ, "SERVER": ENGINES[0], **names, **env},
                stdout=subprocess.DEVNULL,
            )
            stack.callback(process.wait, PATIENCE)
            stack.callback(process.kill)
            until(lambda: ask(port, "PING"), process.poll)
            return process

        yield start


def ask(port: int, *command: str) -> object:
    """Return the reply to a command, None without one."""
    client = Redis(port=port, password=PASSWORD, decode_responses=True, socket_timeout=5)
    with suppress(RedisError), client:
        return client.execute_command(*command)
    return None


def role(port: int) -> object:
    """Return whether a server is a primary (`master`) or a replica (`slave`)."""
    return next(iter(ask(port, "ROLE") or ()), None)  # type: ignore[call-overload]


def lines_of(file: Path) -> dict[str, str]:
    """Return the value of each setting of a configuration."""
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return {name: value.strip('"') for name, _, value in (line.partition(" ") for line in lines)}


def in_bytes(value: str) -> str:
    return str(int(value[:-2]) * UNITS[value[-2:]]) if value[-2:] in UNITS else value


@pytest.mark.parametrize("engine", ENGINES)
def test_each_line_of_valkey_conf_is_what_the_server_uses(start: Start, engine: str) -> None:
    port = free_port()
    start("valkey", port, SERVER=engine)
    lines = lines_of(FOLDER / "valkey.conf")
    for name in lines.keys() - {"bind", "port"}:
        assert ask(port, "CONFIG", "GET", name) == {name: in_bytes(lines[name])}
    with Redis(port=port) as stranger, pytest.raises(RedisError, match="authenticat"):
        stranger.ping()


def test_an_rdb_file_comes_back_as_the_page_says(start: Start, tmp_path: Path) -> None:
    old, new = free_port(), free_port()
    start("valkey", old, words=("--min-replicas-to-write", "0"))
    assert ask(old, "SET", "song", "1")
    assert ask(old, "SAVE")
    (tmp_path / str(new)).mkdir()
    shutil.copy(tmp_path / str(old) / "dump.rdb", tmp_path / str(new))
    server = start("valkey", new, words=("--appendonly", "no"))
    assert ask(new, "CONFIG", "SET", "appendonly", "yes")
    info = Redis(port=new, password=PASSWORD)
    with info:
        until(lambda: not info.info("persistence")["aof_rewrite_in_progress"], server.poll)
    server.terminate()
    server.wait(PATIENCE)
    start("valkey", new)
    assert ask(new, "GET", "song") == "1"


@needs_redis_cli
def test_doctor_finds_nothing_wrong_with_a_primary_and_its_replica(
    start: Start, settings: Config
) -> None:
    primary, replica = free_port(), free_port()
    start("valkey", replica, REPLICA_OF=f"127.0.0.1 {primary}")
    assert not is_healthy(replica)
    start("valkey", primary)
    assert is_healthy(primary)
    url = f"redis://:{PASSWORD}@127.0.0.1:{primary}"
    config = replace(settings, redis_url=url, write_replicas=1)
    until_doctor_is_content(config)
    assert is_healthy(replica)


def is_healthy(port: int) -> bool:
    """Run the health check of the containers."""
    services = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())["services"]
    check = services["valkey2"]["healthcheck"]["test"][1].replace("$$", "$")
    command = check.replace("valkey-cli", f"redis-cli -p {port}")
    result = subprocess.run(["sh", "-c", command], env={**os.environ, "STORE_PASSWORD": PASSWORD})
    return result.returncode == 0


@pytest.mark.long
@needs_redis_cli
def test_the_same_file_serves_a_cluster_of_three_primaries_with_replicas(
    start: Start, settings: Config
) -> None:
    ports = free_ports(6)
    for port in ports:
        start("valkey", port, words=("--cluster-enabled", "yes"))
    nodes = " ".join(f"127.0.0.1:{port}" for port in ports)
    env = {**os.environ, "CLI": "redis-cli", "NODES": nodes, "STORE_PASSWORD": PASSWORD}
    for asks in (True, False):  # the second start finds the Cluster
        command = [str(FOLDER / "cluster.sh")]
        result = subprocess.run(command, env=env, check=True, capture_output=True, timeout=PATIENCE)
        assert (b"Performing hash slots allocation" in result.stdout) == asks
    url = f"redis://:{PASSWORD}@127.0.0.1:{ports[0]}"
    until_doctor_is_content(replace(settings, redis_url=url, write_replicas=1))


def until_doctor_is_content(config: Config) -> None:
    """Wait until no finding about the servers is bad."""
    db = until(lambda: connected(config))
    try:
        until(
            lambda: all(finding.ok for finding in server_findings(db, config)),
            lambda: [finding for finding in server_findings(db, config) if not finding.ok],
        )
    finally:
        db.close()


def connected(config: Config) -> Db | None:
    """Return a connection, None while servers do not know each other yet."""
    with suppress(StoreError):
        return connect(config)
    return None


@pytest.mark.long
def test_the_sentinels_promote_the_replica_and_the_site_follows(
    start: Start, settings: Config, tmp_path: Path
) -> None:
    ports, sentinels = [free_port(), free_port()], [free_port() for _ in range(3)]
    folder = tmp_path / "conf"
    shutil.copytree(FOLDER, folder)
    file = folder / "sentinel.conf"
    watched = re.compile(r"(?<=sentinel monitor linnet )\S+ \d+")
    file.write_text(watched.sub(f"127.0.0.1 {ports[0]}", file.read_text()))
    processes = [
        start("valkey", ports[0]),
        start("valkey", ports[1], REPLICA_OF=f"127.0.0.1 {ports[0]}"),
    ]
    for port in sentinels:
        start("sentinel", port, folder)
    others = [port for port in sentinels if port != sentinels[0]]
    until(lambda: len(ask(sentinels[0], "SENTINEL", "SENTINELS", "linnet") or ()) == len(others))
    until(lambda: ask(sentinels[0], "SENTINEL", "CKQUORUM", "linnet"))
    hosts = ",".join(f"127.0.0.1:{port}" for port in sentinels)
    url = f"redis://:{PASSWORD}@{hosts}/linnet?sentinel_password={PASSWORD}"
    until(lambda: ask(ports[0], "WAIT", "1", "100") == 1)
    db = connect(replace(settings, redis_url=url))

    def written(text: str) -> bool:
        with suppress(Refused, RedisError):
            return bool(db.run(("SET", "schema", text)))
        return False

    try:
        assert written("linnet:2")
        processes[0].kill()
        processes[0].wait(PATIENCE)
        until(lambda: role(ports[1]) == "master")
        assert not written("linnet:2"), "no replica has it"
        processes[0] = start("valkey", ports[0])
        until(lambda: written("linnet:2"))
        until(lambda: role(ports[0]) == "slave")
        processes[0].terminate()
        processes[0].wait(PATIENCE)
        start("valkey", ports[0])
        assert ask(ports[0], "CONFIG", "GET", "replicaof") == {"replicaof": f"127.0.0.1 {ports[1]}"}
    finally:
        db.close()

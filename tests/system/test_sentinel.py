"""A store behind a real Sentinel, both with passwords."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest
from redis import Redis

from tests.support.cluster import free, until
from webapp.config import Config
from webapp.core.errors import StoreError
from webapp.core.store.connection import SCHEMA_VERSION, connect
from webapp.server import embedded_store


@pytest.fixture(scope="module")
def sentinel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Run a Sentinel that watches a primary called `birds`, and return its port."""
    folder = tmp_path_factory.mktemp("sentinel")
    first = 24_000 + os.getpid() * 7 % 5_000
    primary_port, sentinel_port = [port for port in range(first, first + 200) if free(port)][:2]
    conf = folder / "sentinel.conf"
    conf.write_text(
        f"port {sentinel_port}\nbind 127.0.0.1\ndir {folder}\nlogfile {folder}/log\n"
        "requirepass watching\n"
        f"sentinel monitor birds 127.0.0.1 {primary_port} 1\nsentinel auth-pass birds singing\n"
    )
    options = [
        f"--port {primary_port}",
        "--bind 127.0.0.1",
        f"--dir {folder}",
        "--save ''",
        "--requirepass singing",
    ]
    primary_arguments = [part for option in options for part in option.split(" ", 1)]
    with ExitStack() as stack:
        for arguments in (primary_arguments, [str(conf), "--sentinel"]):
            command = [embedded_store.binary_path(), *arguments]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        for port, password in ((primary_port, "singing"), (sentinel_port, "watching")):
            with Redis(port=port, password=password) as client:
                until(client.ping)
        yield sentinel_port


def test_the_primary_is_found_through_the_sentinels(sentinel: int, settings: Config) -> None:
    sentinels = f"127.0.0.1:1,127.0.0.1:{sentinel}"  # the first is down
    url = f"redis://:singing@{sentinels}/birds?sentinel_password=watching"
    db = connect(replace(settings, redis_url=url))
    assert db.is_single_server and db.run(("GET", "schema")) == f"linnet:{SCHEMA_VERSION}"
    db.close()


@pytest.mark.parametrize(
    ("url", "cause"),
    [
        ("redis://:singing@127.0.0.1:{port}/fishes?sentinel_password=watching", "No master found"),
        ("redis://:singing@127.0.0.1:{port}/birds", r"'birds' \(auth:Authent"),
        ("redis://:wrong@127.0.0.1:{port}/birds?sentinel_password=watching", "invalid username"),
        ("redis://[bad", "Invalid IPv6 URL"),
        ("redis://:singing@127.0.0.1:{port}?such=none", "unexpected keyword argument 'such'"),
    ],
)
def test_an_unknown_primary_is_a_one_line_error(
    sentinel: int, settings: Config, url: str, cause: str
) -> None:
    with pytest.raises(StoreError, match=cause) as refusal:
        connect(replace(settings, redis_url=url.format(port=sentinel)))
    assert "\n" not in str(refusal.value) and "watching" not in str(refusal.value)

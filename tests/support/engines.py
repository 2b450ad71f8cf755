"""The store engines that tests run on: the embedded Valkey, or Debian's `redis-server`.

`STORE_ENGINE=redis` selects the second for the fixtures `server` and `cluster`.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from signal import SIGTERM

import pytest

from webapp.config import Config
from webapp.server import embedded_store
from webapp.server.data_dir import shorten_socket_path
from webapp.server.liveness import parent_death


class Engine(StrEnum):
    """A program that can be the store."""

    VALKEY = "valkey"  # the embedded one
    REDIS = "redis"  # the `redis-server` on the PATH

    @property
    def binary(self) -> str:
        """The path of the program. Skips the test if it is missing."""
        if self is Engine.VALKEY:
            return embedded_store.binary_path()
        return shutil.which("redis-server") or pytest.skip("no redis-server on the PATH")


# A test with this mark also runs on Debian's Redis, whatever engine is selected.
EVERY_ENGINE = pytest.mark.parametrize(
    "config",
    ["one server", pytest.param("cluster", marks=pytest.mark.cluster), "redis"],
    indirect=True,
)
SELECTED = Engine(os.environ.get("STORE_ENGINE", Engine.VALKEY))


@contextmanager
def start_server(folder: Path, engine: Engine) -> Iterator[str]:
    """Run one server with the options of the embedded store. Yield its address."""
    shorten_socket_path(folder)
    options = embedded_store.server_command(folder, durable=False)[1:]
    command = parent_death.wrap_command(SIGTERM, [engine.binary, *options])
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        embedded_store.await_ready(process, folder)
        yield Config(data_dir=folder).store_url
    finally:
        embedded_store.stop(process)

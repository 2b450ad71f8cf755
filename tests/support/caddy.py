"""A real Caddy with the site's own Caddyfile, where it is installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.processes import PATIENCE, ROOT, status_of, until

CADDY = shutil.which("caddy")
CADDYFILE = ROOT / "deploy/Caddyfile"
KEEPS_POSTS_SINCE = (2, 7, 5)  # before, it answered 503 to a POST while no upstream was healthy
needs_caddy = pytest.mark.skipif(not CADDY, reason="there is no caddy on the PATH")


def keeps_posts() -> bool:
    """Return True if this Caddy keeps every request while no process of the site runs."""
    version = subprocess.run([CADDY or "", "version"], capture_output=True, text=True).stdout
    numbers = re.findall(r"\d+", version)[:3]
    return tuple(map(int, numbers)) >= KEEPS_POSTS_SINCE


@contextmanager
def caddy(folder: Path, port: int, web_ports: list[int], stream_port: int) -> Iterator[None]:
    """Run Caddy on a port before these processes, while the block runs. Its end cuts streams."""
    file = folder / "Caddyfile"
    file.write_text(f"{{\n\tadmin off\n\tgrace_period 1s\n}}\nimport {CADDYFILE}\n")
    upstreams = {
        "LINNET_ADDRESS": f"http://127.0.0.1:{port}",
        "LINNET_WEB": " ".join(f"127.0.0.1:{one}" for one in web_ports),
        "LINNET_STREAMS": f"127.0.0.1:{stream_port}",
    }
    places = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"), str(folder))
    log = folder / "caddy.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [CADDY or "", "run", "--adapter", "caddyfile", "--config", str(file)],
            env={**os.environ, **places, **upstreams},
            stdout=output,
            stderr=output,
        )
    try:
        until(lambda: status_of(port) == 200, log.read_text)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)

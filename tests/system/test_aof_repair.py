"""A site whose append-only file is damaged at its end: `run` names the remedy, and it works."""

import subprocess
import sys
from collections.abc import Callable
from urllib.request import build_opener

import pytest

from tests.support.posting import Poster
from tests.support.running_site import ROOT, SupervisedSite, start as start
from webapp.server.embedded_store import AOF_FOLDER

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
Start = Callable[..., SupervisedSite]
POSTS = 5


def doctor_repair(site: SupervisedSite) -> subprocess.CompletedProcess[str]:
    """Run the command that the error message names."""
    command = ["doctor", "--repair", "--data-dir", str(site.folder)]
    return subprocess.run(
        [sys.executable, "-m", "webapp.cli", *command], cwd=ROOT, capture_output=True, text=True
    )


@pytest.mark.long
def test_a_site_with_a_damaged_append_only_file_is_repaired_and_has_every_post(
    start: Start,
) -> None:
    site = start()
    site.until_ready()
    poster = Poster(site)
    for _ in range(POSTS):
        poster.post()
    [aof] = (site.folder / AOF_FOLDER).glob("*.incr.aof")
    acknowledged_size = aof.stat().st_size
    refused = doctor_repair(site)
    assert refused.returncode == 1 and "already runs" in refused.stderr
    site.process.terminate()
    assert site.wait() == 0

    whole = aof.read_bytes()
    last_command = whole.rindex(b"\r\n*") + 2
    assert last_command > acknowledged_size  # the worker gave its leases up
    aof.write_bytes(whole[:last_command] + b"\0damaged\0" * 100)
    site = start()
    assert site.wait() == 1
    [line] = site.messages.splitlines()
    assert f"linnet doctor --repair --data-dir {site.folder}" in line

    repaired = doctor_repair(site)
    assert repaired.returncode == 0 and str(aof) in repaired.stdout
    assert f"linnet run --data-dir {site.folder}" in repaired.stdout
    assert acknowledged_size <= aof.stat().st_size < len(whole)
    site = start()
    site.until_ready()
    with build_opener().open(f"{site.url}/@ann") as page:
        html = page.read().decode()
    assert len(poster.acknowledged) == POSTS
    assert not [text for text in poster.acknowledged if f"{text}<" not in html]

"""A process that hangs is replaced, and the site answers as before."""

import os
from signal import SIGSTOP

import pytest

from tests.conftest import long
from tests.support.processes import children, status_of, until
from tests.support.running_site import SupervisedSite

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]


@pytest.mark.parametrize(("command", "name"), [("serve", "port"), long("stream", "stream_port")])
def test_a_server_process_that_hangs_is_replaced(
    kept_site: SupervisedSite, command: str, name: str
) -> None:
    site, port = kept_site, getattr(kept_site, name)
    [hung] = children(site.child(f"webapp.cli {command}"))
    os.kill(hung, SIGSTOP)
    site.until_printed(f"the process {hung} has not responded for 15 s; replacing it.")
    until(lambda: status_of(port, "/readyz") == 200, site.output)
    assert hung not in children(site.child(f"webapp.cli {command}"))


@pytest.mark.long
def test_a_worker_that_hangs_is_replaced(kept_site: SupervisedSite) -> None:
    site = kept_site
    hung = site.child("webapp.cli worker")
    os.kill(hung, SIGSTOP)
    site.until_printed(
        f"the worker {hung} has not responded for 15 s; replacing it.",
        f"worker (pid {hung}) was ended by SIGKILL; starting it again in 0.5 s.",
    )
    until(lambda: site.child("webapp.cli worker") not in (0, hung), site.output)

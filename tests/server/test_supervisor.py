"""`linnet run` as a real process: started in a folder of its own, killed in parts and whole."""

import os
import re
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.support.processes import children
from tests.support.running_site import (
    Sites,
    Start,
    SupervisedSite,
    alive,
    descendants,
    process_table,
    sign_up,
    site as site,
    sites as sites,
    start as start,
    status,
    until,
)
from webapp.config import socket_path
from webapp.server import embedded_store
from webapp.server.data_dir import SOCKET_PATH_MAX

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("kill")]
CHILDREN = [
    ("worker", "webapp.cli worker"),
    ("web", "webapp.cli serve"),
    ("store", "valkey-server"),
]


def test_run_prints_its_url_when_pages_and_streams_respond(site: SupervisedSite) -> None:
    assert f"Linnet is ready: {site.url}" in site.messages
    assert status(site.port) == 200
    assert status(site.stream_port) == 200


def test_nothing_in_the_data_folder_is_open_to_other_users(site: SupervisedSite) -> None:
    paths = [site.folder, *site.folder.rglob("*")]
    assert {path.name for path in paths} >= {"secret_key", "valkey.log", "address", "lock"}
    assert not [path for path in paths if path.lstat().st_mode & 0o077]


@pytest.mark.long
def test_pages_and_streams_drain_while_the_store_runs(start: Start) -> None:
    site = start(DRAIN_SECONDS="5")
    site.until_ready()
    site.process.terminate()
    until(lambda: status(site.port) == status(site.stream_port) == 503, site.output)
    with build_opener().open(f"{site.url}/public") as page:
        assert page.status == 200
    assert site.wait() == 0


@pytest.mark.long
def test_repeated_interrupts_leave_no_process_behind(site: SupervisedSite) -> None:
    processes = descendants(site.process.pid)
    for _ in range(3):
        site.process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    assert site.wait() == 0
    assert not alive(processes)


def test_a_signal_during_the_start_leaves_no_process_behind(start: Start) -> None:
    site = start()
    until(lambda: site.child("webapp.cli serve"), site.output)
    processes = descendants(site.process.pid)
    site.process.terminate()
    assert site.wait() == 0
    assert not alive(processes)


def test_sigkill_of_run_leaves_no_process_behind_and_unlocks_the_folder(
    sites: Sites, site: SupervisedSite
) -> None:
    processes = descendants(site.process.pid)
    site.process.kill()
    site.wait()
    until(lambda: not alive(processes), site.output)
    sites.ready()


@pytest.mark.parametrize(("name", "words"), CHILDREN)
def test_a_killed_child_is_restarted_and_reported(
    site: SupervisedSite, name: str, words: str
) -> None:
    first = site.child(words)
    os.kill(first, signal.SIGKILL)
    site.until_printed(
        f"linnet: {name} (pid {first}) was ended by SIGKILL; starting it again in 0.5 s."
    )
    assert re.search(
        rf"^20\d\d-\d\d-\d\d [\d:]{{8}} linnet: {name} ", site.output.read_text(), re.MULTILINE
    )
    until(lambda: site.child(words) not in (0, first), site.output)
    until(lambda: status(site.port) == 200, site.output)


def test_a_killed_process_of_a_server_is_reported_with_the_time(site: SupervisedSite) -> None:
    for command, name in (("serve", "the pages"), ("stream", "the streams")):
        os.kill(min(children(site.child(f"webapp.cli {command}"))), signal.SIGKILL)
        site.until_printed(f"linnet: Unexpected exit from server process 1 of {name}")
    assert "[ERROR]" not in site.output.read_text()


@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="only Linux ties processes to CPUs"
)
@pytest.mark.long
def test_each_web_process_and_its_successor_is_pinned_to_one_cpu(site: SupervisedSite) -> None:
    cpus = os.sched_getaffinity(0)

    def cpus_by_process() -> dict[int, set[int]]:
        children = (
            pid
            for pid, (parent, _) in process_table().items()
            if parent == site.child("webapp.cli serve")
        )
        affinities = {pid: thread_cpus(pid) for pid in children}
        # Only those with several threads serve already.
        return {pid: set.union(*cpus) for pid, cpus in affinities.items() if len(cpus) > 3}

    def pinned_apart() -> bool:
        return sorted(map(tuple, cpus_by_process().values())) == [(cpu,) for cpu in sorted(cpus)]

    until(pinned_apart, site.output)
    killed, freed = cpus_by_process().popitem()
    os.kill(killed, signal.SIGKILL)
    until(lambda: killed not in cpus_by_process() and pinned_apart(), site.output)
    assert freed in cpus_by_process().values()


def thread_cpus(pid: int) -> list[set[int]]:
    """Return the CPUs of each thread of a process, or nothing after its end."""
    with suppress(OSError):
        return [os.sched_getaffinity(int(task)) for task in os.listdir(f"/proc/{pid}/task")]
    return []


@pytest.mark.long
def test_accounts_and_sessions_survive_a_restart(sites: Sites, site: SupervisedSite) -> None:
    browser = build_opener(HTTPCookieProcessor())
    sign_up(browser, site, "ann")
    site.process.terminate()
    site.wait()
    site = sites.ready()
    with browser.open(f"{site.url}/@ann") as page:
        assert "@ann" in page.read().decode()
    with browser.open(f"{site.url}/home") as page:
        assert page.url == f"{site.url}/home", "not redirected to the login form"


@pytest.mark.parametrize("option", ["--port", "--stream-port"])
def test_a_used_port_is_a_one_line_error_with_the_option(
    start: Start, tmp_path: Path, option: str
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as used,
        socket.create_server(("127.0.0.1", 0)) as free,
    ):
        port, other = used.getsockname()[1], free.getsockname()[1]
        free.close()
        site = SupervisedSite(
            tmp_path / "site", (port, other) if option == "--port" else (other, port)
        )
        assert site.wait() == 1
    assert f"Port {port} " in site.messages
    assert option in site.messages
    assert len(site.messages.splitlines()) == 1


@pytest.mark.parametrize(
    "url", ["redis://127.0.0.1:1", "unix:///nowhere/at/all.sock", "what://ever"]
)
def test_an_unreachable_store_is_a_one_line_error(start: Start, url: str) -> None:
    site = start(REDIS_URL=url, SECRET_KEY="of this test")
    assert site.wait() == 1
    assert url in site.messages
    assert len(site.messages.splitlines()) == 1


def test_an_external_store_without_a_secret_key_is_a_one_line_error(start: Start) -> None:
    site = start(REDIS_URL="redis://127.0.0.1:1")
    assert site.wait() == 1
    assert "SECRET_KEY" in site.messages
    assert len(site.messages.splitlines()) == 1


def test_a_folder_is_used_by_one_site_only(site: SupervisedSite) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as first_socket,
        socket.create_server(("127.0.0.1", 0)) as second_socket,
    ):
        ports = (first_socket.getsockname()[1], second_socket.getsockname()[1])
    second = SupervisedSite(site.folder, ports)
    assert second.wait() == 1
    assert str(site.folder) in second.messages
    assert len(second.messages.splitlines()) == 1
    assert status(site.port) == 200


def test_sigterm_ends_every_process(site: SupervisedSite) -> None:
    processes = descendants(site.process.pid)
    assert len(processes) >= 7  # store, worker, and a parent and its children for pages and streams
    site.process.terminate()
    assert site.wait() == 0
    assert not alive(processes)


def test_the_socket_of_a_folder_with_a_long_path_is_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    process = embedded_store.start(folder, durable=False)
    try:
        assert embedded_store.is_running(folder)
        assert len(str(socket_path(folder))) <= SOCKET_PATH_MAX
    finally:
        embedded_store.stop(process)
    assert not embedded_store.is_running(folder)
    socket_path(folder).parent.rmdir()

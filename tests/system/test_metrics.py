"""Figures of whole processes: they survive a kill, less what was not sent yet."""

from pathlib import Path

from tests.support.processes import RunningSite, free_port, status_of, until
from webapp.core.metrics import keys
from webapp.metrics.processes import LOST_MS, processes

MISSING = "/no-such-page"


def refused(site: RunningSite) -> int:
    """Return how many requests were refused, as the store knows."""
    return int(site.db.run(("HGET", keys.metric("responses.4xx", 86_400), "total")) or 0)


def ask(port: int, times: int) -> None:
    """Ask for a page that does not exist."""
    assert {status_of(port, MISSING) for _ in range(times)} == {404}


def test_totals_are_those_of_the_log_less_the_last_seconds_of_killed_processes(
    tmp_path: Path,
) -> None:
    site, port = RunningSite(tmp_path, web_workers=2), free_port()
    pages = site.serve(port)
    ask(port, 30)
    until(lambda: refused(site) == 30, lambda: refused(site))
    ask(port, 10)
    pages.kill()
    again = site.serve(port)
    ask(port, 20)
    until(lambda: refused(site) >= 50, lambda: refused(site))
    again.stop()  # sends what it has
    logged = sum(one.output.read_text().count(f"GET {MISSING} 404") for one in (pages, again))
    assert logged == 60 and 50 <= refused(site) <= 60
    until(lambda: {one.is_lost for one in site.db.read(processes())} == {True}, LOST_MS)
    site.close()

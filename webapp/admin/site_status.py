"""`linnet status` and `linnet logs follow`: what the processes of the site do."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase

import click

from webapp.access_log import keys
from webapp.access_log.sender import CHANNEL
from webapp.config import Config
from webapp.core.store import PARTITIONS, Db, Site
from webapp.core.store.pubsub import Subscription
from webapp.core.store.servers import circuit_breaker
from webapp.statuses.keys import last_status_id

from .command_options import format_time, on_site
from .store_findings import Finding

RECENT = timedelta(days=1)  # what failed is worth a look for so long
SILENCE = (
    "No process reports. They do so every three seconds while the site runs and the store takes"
    " writes: see linnet doctor."
)


@click.command()
@on_site
def status(site: Site) -> None:
    """List the site's processes. Ends with 1 if one is lost and not replaced, or none reports."""
    from webapp.metrics.processes import with_leases

    processes, leases = site.db.read(with_leases())
    for one in processes:
        state = "replaced" if one.is_replaced else "lost" if one.is_lost else "running"
        held = f"  {leases.get(one.id, 0)} leases" if one.kind == "worker" else ""
        held = f"  {one.streams} streams" if one.kind == "stream" else held
        heard = f"heard {one.silent_ms // 1000} s ago"
        click.echo(
            f"{one.kind:<7} {one.id}  {state}, {heard}  version {one.version}"
            f"  since {format_time(one.started_at)}{held}"
        )
    if all(one.is_lost for one in processes):
        click.echo(SILENCE)
    if not processes or any(one.is_lost and not one.is_replaced for one in processes):
        raise SystemExit(1)


@click.group()
def logs() -> None:
    """Read the access log of all processes, which ACCESS_LOG=yes writes."""


@logs.command()
@click.option("--route", default="*", help="Such as /home or /@<login>; * for any text.")
@click.option("--status", default="*", help="Such as 404 or 5xx.")
@on_site
def follow(site: Site, route: str, status: str) -> None:
    """Print lines within some seconds, until Ctrl-C.

    Fields: time, route, status, ms, bytes, cached, member or visitor, country.
    """
    pattern = status.lower().replace("x", "?")
    subscription = Subscription(site.db, CHANNEL)
    while True:
        for text in subscription.wait(1.0).messages:
            for line in text.splitlines():
                _time, its_route, its_status, *_ = *line.split("\t"), "", ""
                if fnmatchcase(its_route, route) and fnmatchcase(its_status, pattern):
                    click.echo(line)


def modes_finding(config: Config) -> Finding:
    """Return whether members may use the site."""
    mode = "maintenance" if config.maintenance else "read_only"
    return Finding(
        not config.is_closed,
        f"site: {mode if config.is_closed else 'open'}",
        f"Once you are done, run: linnet config set {mode} no. Until then only admins write,"
        " periodic jobs rest, and scheduled posts wait.",
    )


def outages_finding(db: Db) -> Finding:
    """Return whether the store was silent within a day."""
    seen = db.read(circuit_breaker.outages())
    if not seen.count:
        return Finding(True, "store outages: none")
    ended_at = datetime.fromtimestamp(seen.last_ended_at, UTC)
    return Finding(
        datetime.now(UTC) - ended_at > RECENT,
        f"store outages: processes found the store silent {seen.count} times; the last time for"
        f" {seen.last_seconds} s, until {format_time(ended_at)}",
        "Look for a full disk, too little memory or slow commands (SLOWLOG GET).",
    )


def access_log_finding(site: Site) -> Finding:
    """Return how many lines came today, how many are missing, and what waits. One trip."""
    today = keys.day_counts(f"{datetime.now(UTC):%Y-%m-%d}")
    waiting, counts = site.db.trip(
        ("HGET", keys.progress(), "waiting"), ("HMGET", today, "lines", "dropped")
    )
    size, lines, dropped = (int(count or 0) for count in (waiting, *counts))
    return Finding(
        size < site.config.files_max / 2 and not dropped,
        f"access log: {'on' if site.config.access_log else 'off'}, {lines} lines today,"
        f" {dropped} dropped, {size} of {site.config.files_max} bytes wait",
        "Start a worker: linnet worker, or make room on its disk. Above FILES_MAX lines wait on the"
        " machines that write them, and are dropped where as many wait.",
    )


def with_writes(db: Db, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield whether the store takes writes, then the others. One trip.

    While it takes none, a worker can do nothing, so none is to be started.
    """
    probes = [("SETRANGE", last_status_id(one), 0, "") for one in range(PARTITIONS)]  # no change
    refused = [one for one in db.trip_with_errors(probes) if isinstance(one, Exception)]
    yield Finding(
        not refused,
        f"writes: refused by the store: {refused[0]}" if refused else "writes: taken",
        "See what the lines about memory, persistence, replication and disks say.",
    )
    for finding in findings:
        is_for_workers = refused and "linnet worker" in finding.remedy
        remedy = "Workers go on once the store takes writes." if is_for_workers else finding.remedy
        yield replace(finding, remedy=remedy)

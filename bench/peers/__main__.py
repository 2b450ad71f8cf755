"""`python -m bench.peers [quick]`: the site beside its peers, in a few minutes; writes what it
finds into docs/performance.md and docs/peers.svg. `quick`: a small community and short rounds, to
see that all of it works, and nothing is written.

Everything runs on this machine and over loopback, one server after another, in interleaved rounds.
It takes wrk and the environment of the peers, `.venv-peers`, which `make bench-peers` makes.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import copy, which
from tempfile import TemporaryDirectory

from webapp.config import socket_path

from . import chart, linnet, load, plan, references, report
from .data import FULL, QUICK, Community
from .processes import PEERS, Server, granian, gunicorn, keep, peer, program, store

ROUNDS = 3
BUSY = 1.0  # load of the machine before the run, above which figures mean little
Rounds = dict[str, list[list[load.Figures]]]  # server → what each round found


def main(arguments: Sequence[str]) -> int:
    """Measure, print and, unless quick, write the results. Return the exit code."""
    quick = "quick" in arguments
    if not which("wrk"):
        return _sorry(load.NO_WRK)
    if not (PEERS / "python").exists():
        return _sorry("The environment of the peers is not here: `make bench-peers` makes it.")
    if (busy := os.getloadavg()[0]) > BUSY:
        print(
            f"Others keep this machine busy (load {busy:.1f}): the figures will be uncertain.",
            file=sys.stderr,
        )
    seconds = plan.Seconds(each=1, mixed=1, times=3) if quick else plan.Seconds()
    with TemporaryDirectory(prefix="peers-") as folder:
        results = measured(
            Community(QUICK if quick else FULL), Path(folder), seconds, 1 if quick else ROUNDS
        )
    print(report.text(results, busy))
    if quick:
        print(
            "\nThat was a small community and short rounds, to see that all of it works: "
            "the figures mean little."
        )
    else:
        report.write(results, busy)
        chart.write(report.medians(results))
    return 0


def measured(community: Community, folder: Path, seconds: plan.Seconds, rounds: int) -> Rounds:
    """Measure each server with each workload in rounds that rotate the first server."""
    servers = [make(community, folder, seconds) for make in (_ours, _book, _sql)]
    servers += _least(community, folder, servers[0])
    results: Rounds = {server.name: [] for server in servers}
    for number in range(rounds):
        for server in servers[number:] + servers[:number]:
            with server.running() as base:
                print(f"round {number + 1}: {server.name}", file=sys.stderr)
                results[server.name].append(load.run({"base": base, "workloads": server.workloads}))
    return results


def _ours(community: Community, folder: Path, seconds: plan.Seconds) -> Server:
    data_file = folder / "ours.rdb"
    info = linnet.filled(community, data_file)
    return Server(
        report.OURS,
        plan.workloads(community, info, seconds),
        partial(linnet.running, data_file),
    )


def _least(community: Community, folder: Path, site: Server) -> list[Server]:
    """Measure the references and the site without a worker."""
    data_file = folder / "ours.rdb"
    posts = [workload for workload in site.workloads if workload["name"] == "post"]
    with site.running() as base:
        pages = references.kept_pages(base, site.workloads)
    return [
        Server(report.IDLE, posts, partial(linnet.idle, data_file)),
        Server(
            report.LEAST,
            references.workloads(site.workloads),
            partial(references.running, data_file, pages, community),
        ),
    ]


def _book(community: Community, folder: Path, seconds: plan.Seconds) -> Server:
    data_file, info_file = folder / "book.rdb", folder / "book.json"
    with store() as filling:
        peer(
            "bench.peers.apps.redis_in_action_app",
            "fill",
            _size(community),
            str(info_file),
            STORE=str(socket_path(filling)),
        )
        keep(filling, data_file)

    @contextmanager
    def running() -> Iterator[str]:
        with store(data_file) as place:
            own = {"STORE": str(socket_path(place))}
            worker = [str(PEERS / "python"), "-m", "bench.peers.apps.redis_in_action_app", "work"]
            with (
                program(worker, **own),
                granian("bench.peers.apps.redis_in_action_app:create_app", **own) as base,
            ):
                yield base

    return Server(
        report.BOOK, plan.workloads(community, json.loads(info_file.read_text()), seconds), running
    )


def _sql(community: Community, folder: Path, seconds: plan.Seconds) -> Server:
    data_file, info_file = folder / "sql.db", folder / "sql.json"
    peer(
        "bench.peers.apps.sql_app",
        "fill",
        _size(community),
        str(info_file),
        DATABASE=str(data_file),
    )

    @contextmanager
    def running() -> Iterator[str]:
        with TemporaryDirectory(prefix="peers-") as place:
            copy(data_file, place)
            with gunicorn(
                "bench.peers.apps.sql_app:create_app()", DATABASE=f"{place}/sql.db"
            ) as base:
                yield base

    return Server(
        report.SQL, plan.workloads(community, json.loads(info_file.read_text()), seconds), running
    )


def _size(community: Community) -> str:
    return "FULL" if community.size == FULL else "QUICK"


def _sorry(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # so that what was started is ended, and tidied up
    try:
        sys.exit(main(sys.argv[1:]))
    except load.Wrong as wrong:
        sys.exit(str(wrong))

"""`linnet doctor --keys`: walk over all keys and print the report, as text or as JSON."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import click

from webapp.config import Config
from webapp.core.metrics import keys
from webapp.core.store import Db
from webapp.core.store.client import SAMPLED
from webapp.core.store.connection import connect

from .declared import UNKNOWN
from .walk import KeyFacts, KeyReport, KindReport, walk

PERIOD = 300  # seconds, as in core/metrics/lua/includes/add_keys.lua
SHOWN = 10
NAMED_MAX = 3  # keys that a finding names
IMBALANCE_MAX = 4.0  # of the largest partition to the mean


@dataclass(frozen=True, slots=True)
class HotKeys:
    """Commands of the last five to ten minutes: samples by key."""

    seconds: int
    samples: Counter[str]

    def rate(self, samples: int) -> float:
        """Return the commands a second for which these samples stand."""
        return round(samples * SAMPLED / self.seconds, 1)


def read_hot_keys(db: Db) -> HotKeys:
    """Return the samples of this period and the last one, by key. Two trips."""
    now = int(db.run(("TIME",))[0])
    periods = (now // PERIOD - 1, now // PERIOD)
    samples: Counter[str] = Counter()
    for flat in db.trip_all(("ZRANGE", keys.hot_keys(one), 0, -1, "WITHSCORES") for one in periods):
        samples.update(dict(zip(flat[::2], map(int, flat[1::2]), strict=True)))
    return HotKeys(now - periods[0] * PERIOD, samples)


def hot_text(hot: HotKeys) -> Iterator[str]:
    """Yield lines: the nouns and the keys with most commands."""
    if not (total := hot.samples.total()):
        yield "No process has counted commands lately."
        return
    yield f"{hot.rate(total):,.0f} commands a second in {hot.seconds} s, from one trip in {SAMPLED}"
    nouns: Counter[str] = Counter()
    for key, count in hot.samples.items():
        nouns[key.split(":")[0]] += count
    for counts in (nouns, hot.samples):
        for name, count in counts.most_common(SHOWN):
            yield f"{hot.rate(count):>14,.1f} a second {count / total:>4.0%}  {name}"


def as_text(report: KeyReport, top: int) -> Iterator[str]:
    """Yield the lines of a report: the kinds that take most memory, then what is wrong."""
    kinds = sorted(report.kinds.values(), key=lambda kind: -kind.size)
    total = sum(kind.size for kind in kinds)
    yield f"{sum(kind.count for kind in kinds):,} keys, {total:,} bytes"
    for kind in kinds[:top]:
        yield f"{kind.size:>14,} B {kind.size / (total or 1):>4.0%} {kind.count:>10,}  {kind.shape}"
        yield f"{'':18}{_encodings(kind)}; largest {_named(kind.largest)}"
    yield from problems(report)


def problems(report: KeyReport) -> Iterator[str]:
    """Yield a sentence for each kind of key that is not as its declaration says."""
    for kind in report.kinds.values():
        if kind.shape == UNKNOWN:
            yield f"FAIL  {kind.count} keys are not declared, such as {_named(kind.largest)}"
        for names, fault in (
            (kind.lasting, "never expire"),
            (kind.past_bound, "hold more than twice what they may"),
        ):
            if names:
                yield f"FAIL  {kind.shape}: {len(names)} {fault}: {', '.join(names[:NAMED_MAX])}"
    if report.imbalance > IMBALANCE_MAX:
        yield f"FAIL  the largest partition holds {report.imbalance:.1f} times the mean"


def as_json(report: KeyReport) -> dict[str, Any]:
    """Return a report as JSON, with every kind of key."""
    return {
        "imbalance": round(report.imbalance, 2),
        "kinds": {
            kind.shape: {
                "count": kind.count,
                "bytes": kind.size,
                "largest": kind.largest and kind.largest.name,
                "longest": kind.longest and kind.longest.name,
                "length_max": kind.longest and kind.longest.length,
                "encodings": dict(kind.encodings),
                "never_expire": kind.lasting,
                "past_bound": kind.past_bound,
            }
            for kind in report.kinds.values()
        },
    }


def _encodings(kind: KindReport) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in kind.encodings.most_common())


def _named(key: KeyFacts | None) -> str:
    return f"{key.name} ({key.size:,} B, {key.length:,} long)" if key else "none"


def print_report(config: Config, noun: str, top: int, pause: float, in_json: bool) -> int:
    """Print what the store holds. Returns the exit code: 1 if a key is not as declared.

    Ctrl-C ends the walk; what was found by then is printed. Raises StoreError.
    """
    db = connect(config)
    report = KeyReport()
    try:
        for number, report in enumerate(walk(db, config, noun, pause)):
            if not number % 20:
                count = sum(kind.count for kind in report.kinds.values())
                click.echo(f"\r{count:,} keys …", nl=False, err=True)
    except KeyboardInterrupt:
        click.echo("\nInterrupted: this is a part.", err=True)
    click.echo("", err=True)
    hot = read_hot_keys(db)
    if in_json:
        content = {
            **as_json(report),
            "commands_a_second": {key: hot.rate(count) for key, count in hot.samples.items()},
        }
        lines = iter([json.dumps(content, indent=2)])
    else:
        lines = chain(as_text(report, top), [""], hot_text(hot))
    for line in lines:
        click.echo(line)
    db.close()
    return 1 if any(problems(report)) else 0

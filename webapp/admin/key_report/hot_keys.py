"""The keys that most commands ask for, from the samples of the site's own processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from webapp.core.metrics import keys
from webapp.core.store.client import SAMPLED, Db

PERIOD = 300  # seconds, as in core/metrics/lua/includes/add_keys.lua
SHOWN = 10


@dataclass(frozen=True, slots=True)
class HotKeys:
    """Commands of the last five to ten minutes: samples by key."""

    seconds: int
    samples: Counter[str]

    def rate(self, samples: int) -> float:
        """Return the commands a second for which these samples stand."""
        return round(samples * SAMPLED / self.seconds, 1)


def read_hot_keys(db: Db) -> HotKeys:
    """Return what the processes counted. Two trips."""
    now = int(db.run(("TIME",))[0])
    periods = (now // PERIOD - 1, now // PERIOD)
    samples: Counter[str] = Counter()
    for flat in db.trip(*(("ZRANGE", keys.hot_keys(one), 0, -1, "WITHSCORES") for one in periods)):
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

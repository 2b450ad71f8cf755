"""Read how long requests took, by route."""

from collections.abc import Sequence

from webapp.core.metrics import keys
from webapp.core.metrics.recorder import ROUTES_MAX
from webapp.core.metrics.timing import Timing
from webapp.core.store import Db, collect, read, to_dict

from .series import DAY, HOUR

SLOWEST = 20
ALL_TIME = "all"
Routes = list[tuple[str, Timing]]


def slowest(db: Db, span: str, now: int) -> Routes:
    """Return the routes with the highest means in this hour and the last, or today and yesterday.

    `span`: of the page; only "hour" is by hours. Two trips.
    """
    hour, day = now // HOUR, now // DAY
    periods = [f"h{hour}", f"h{hour - 1}"] if span == "hour" else [f"d{day}", f"d{day - 1}"]
    found = _timings(db, periods, SLOWEST)
    return sorted(found, key=lambda one: one[1].mean, reverse=True)[:SLOWEST]


def of_all_time(db: Db) -> Routes:
    """Return all routes, by name. Two trips."""
    return sorted(_timings(db, [ALL_TIME], ROUTES_MAX + 1), key=lambda one: one[0])


def _timings(db: Db, periods: Sequence[str], limit: int) -> Routes:
    by_mean = collect(
        read(("ZREVRANGE", keys.slow(period), 0, limit - 1), list) for period in periods
    )
    names = sorted({name for period in db.read(by_mean) for name in period})
    timings = db.read(
        collect(
            read(("HGETALL", keys.timing(name, period)), lambda reply: Timing.parse(to_dict(reply)))
            for name in names
            for period in periods
        )
    )
    count = len(periods)
    merged = (sum(timings[i * count : (i + 1) * count], Timing()) for i in range(len(names)))
    return list(zip(names, merged, strict=True))

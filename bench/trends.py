"""Measure what trends take: processor time of a post, bytes of an item, and of a ranking.

A post's time is that of its projections in Python and in the store together, with a hashtag that
is shared already, beside the same post without items. Processor time does not depend on how busy
the machine is.
"""

import resource
import time
from collections.abc import Callable
from itertools import count
from statistics import median

from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store import first_id_at, partition_of
from webapp.core.text.parser import parse
from webapp.statuses.store import post
from webapp.timelines.trends import projections, store
from webapp.timelines.trends.items import HOUR_MS
from webapp.timelines.trends.ranking import HISTORY_HOURS
from webapp.timelines.trends.uses import Use, UseUpdate, candidate_commands

from .site import Site, add_members, send, site
from .table import Figure

AUTHORS = range(1, 65)
POSTS, ROUNDS = 400, 5
ITEMS = 2_000  # that one member shares
CROWD = 200  # members who share an item over a week
CROWDS = 100  # such items
_forms = count(1)


def measure() -> list[Figure]:
    """Measure the time of posts and rankings, and the bytes of items."""
    with site() as here:
        add_members(here.db, AUTHORS)
        plain = _time_of_post(here, "One swallow over the mill pond")
        tagged = _time_of_post(here, "One swallow over the mill pond #swallow")
        small = _growth(here, lambda: _share(here, ITEMS, 1, 1), ITEMS)
        large = _growth(here, lambda: _share(here, CROWDS, CROWD, 7 * 24), CROWDS)
        ranking = _cpu(lambda: store.rank(here.db, _now_ms()), here)
    return [
        Figure("trends: post without a hashtag, µs", plain * 1e6, "µs"),
        Figure("trends: post with a hashtag, µs", tagged * 1e6, "µs"),
        Figure("trends: item that one member shares", small, "bytes"),
        Figure(f"trends: item that {CROWD} members share over a week", large, "bytes"),
        Figure(f"trends: ranking, {24 // HISTORY_HOURS} points each", ranking * 1e3, "ms"),
    ]


def _time_of_post(here: Site, text: str) -> float:
    """Return the median processor time that counting one post takes, in seconds."""
    return median(_round(here, text) for _ in range(ROUNDS)) / POSTS


def _round(here: Site, text: str) -> float:
    events = []
    for number in range(POSTS):
        uid = AUTHORS[number % len(AUTHORS)]
        form = f"bench{next(_forms)}"
        status_id = post(here, uid, parse(f"{text} {number}"), form)
        data = {"id": str(status_id), "author": str(uid), "network": f"net{uid}"}
        if "#" in text:
            data["has_items"] = "1"
        events.append(Event("1-1", partition_of(uid), "fanout", 1, "posted", "-", data))
    here.db.trip(*(("UNLINK", event_keys.outbox(p)) for p in range(64)))
    context = Context(here.db, here.config, lambda: None)
    return _cpu(lambda: [projections.sync_posts(context, [one]) for one in events], here)


def _share(here: Site, items: int, members: int, hours: int) -> None:
    """Let members share items, spread over the hours until now."""
    now_ms = _now_ms()
    for item in (f"#bench{members}x{number}" for number in range(items)):
        updates = []
        for uid in range(1, members + 1):
            ms = now_ms - (uid * hours // members) * HOUR_MS if hours > 1 else now_ms
            event = Event("1-1", 0, "fanout", 1, "posted", "-", {"network": f"net{uid}"})
            use_id = first_id_at(ms) + uid
            use = Use(event, use_id, uid, use_id, uid)
            updates.append(UseUpdate(use, "en", frozenset(), frozenset({item})))
        send(here.db, (one.add_command(item) for one in updates))
        send(here.db, (c for one in updates for c in one.index_commands([item], True)))
        send(here.db, candidate_commands(now_ms // HOUR_MS, {item: members}))


def _growth(here: Site, work: Callable[[], None], items: int) -> float:
    """Return how many bytes the store's data grew for each item."""
    before = _used(here)
    work()
    return (_used(here) - before) / items


def _used(here: Site) -> float:
    """Return the bytes of all data and keys."""
    reply = here.db.on_every_primary("MEMORY", "STATS")[0]
    stats = dict(zip(reply[::2], reply[1::2], strict=True))
    table = dict(zip(stats["db.0"][::2], stats["db.0"][1::2], strict=True))
    tables = table["overhead.hashtable.main"] + table["overhead.hashtable.expires"]
    return float(stats["dataset.bytes"]) + float(tables)


def _cpu(work: Callable[[], object], here: Site) -> float:
    """Return the processor time of this process and of the store while `work` runs, in seconds."""
    before = _own_cpu() + _store_cpu(here)
    work()
    return _own_cpu() + _store_cpu(here) - before


def _own_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _store_cpu(here: Site) -> float:
    info = "\n".join(here.db.on_every_primary("INFO", "cpu"))
    found = dict(line.split(":", 1) for line in info.splitlines() if ":" in line)
    return float(found["used_cpu_sys"]) + float(found["used_cpu_user"])


def _now_ms() -> int:
    return time.time_ns() // 1_000_000

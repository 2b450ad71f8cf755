"""Measure the store's memory for a member, session, follow, status and home entry.

The last figures estimate what millions of members would need.

All is written by the site's own scripts, or in their shape, with the names, texts and profiles of
the demo community and with ids as long as those of a site of millions. Each figure is how much the
store's data grew, its table of keys too, divided by how many there are. Events that were applied
and the log of them do not count. The keys of forms, which expire, and the search index, which holds
the newest SEARCH_MAX posts, are counted by themselves.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from webapp.accounts import keys as account_keys, profile, registration
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.devices import Device
from webapp.core.events.inline import drain
from webapp.core.store import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.demo.community import Community, Plan, generate_community, plan_people
from webapp.following import keys as following_keys
from webapp.limits import Limits
from webapp.registry import REGISTRY
from webapp.search.index.rebuild import remove_layout
from webapp.statuses import keys as status_keys
from webapp.statuses.store import post
from webapp.streaming import keys as stream_keys

from .site import OLD_MS, Site, fill_homes, send, site
from .table import Figure

MEMBERS, POSTS, WRITERS = (
    2_000,
    10_000,
    50,
)  # each writer has so many statuses that their list is no listpack
FIRST = 1_000_000  # member id
VISITORS = range(
    2_000_000, 2_020_000
)  # member ids of more who are active: so many that their lists are no listpacks
FULL = range(3_000_000, 3_002_000)  # member ids of those with a full home
FOLLOWS_MEDIAN, FOLLOWS_SPREAD = 60, 1.0  # a log-normal distribution, whose mean is 100
AGENT = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/142.0.0.0 Safari/537.36"
)
DEVICE = Device("2001:db8:85a3:8d3:1319:8a2e:370:7348", AGENT)
PICTURE = "0123456789abcdef" * 2
# What the sums assume of each member, and of each who is active: came within HOME_DAYS.
ACTIVE, FOLLOWS, STATUSES = 0.25, 100, 100
SESSIONS, POSTS_A_DAY = 1.5, 1.0
SIZES = (1, 10, 100)  # millions of members


class Growth:
    """Measure how much the store's data grows."""

    def __init__(self, here: Site) -> None:
        self._here = here
        self.bytes: dict[str, float] = {}  # of one

    def measure(self, name: str, work: Callable[[], int]) -> None:
        """Run an action for each item and record the average growth."""
        before = self._used()
        count = work()
        self.bytes[name] = (self._used() - before) / count

    def _used(self) -> float:
        """Return the bytes of all data and keys after projections, without the event log."""
        drain(self._here, REGISTRY)
        self._here.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", 0))
        stats = _pairs(self._here.db.on_every_primary("MEMORY", "STATS")[0])
        table = _pairs(stats["db.0"])
        return (
            float(stats["dataset.bytes"])
            + table["overhead.hashtable.main"]
            + table["overhead.hashtable.expires"]
        )


def measure() -> list[Figure]:
    """Measure bytes of each item, and gigabytes for millions of members."""
    plan = Plan("memory", int(time.time() * 1000), MEMBERS, POSTS)
    made = generate_community(plan, plan_people(plan))
    with site(public_max=1) as here:
        here.db.on_every_primary(
            "CONFIG", "SET", "lazyfree-lazy-user-del", "no"
        )  # what is deleted is gone when it is looked at
        here.db.run(("SET", account_keys.last_uid(), FIRST - 1))
        _write(here, _some(made, 64))  # so every partition has its outboxes and leases
        growth = Growth(here)
        growth.measure("member", lambda: _write(here, _some(made, MEMBERS)[64:]))
        growth.measure("member in the search index", lambda: -_remove_index(here, MEMBERS))
        _leave(here)
        growth.measure("session", lambda: _sign_in(here))
        growth.measure("visit of an active member", lambda: _visit(here))
        growth.measure("follow, both sides", lambda: _follow(here))
        growth.measure("status", lambda: _post(here, made))
        growth.measure("form key", lambda: -_forget_forms(here))
        growth.measure("status in the search index", lambda: -_remove_index(here, POSTS))
        growth.measure("full home", lambda: _fill(here))
        overhead = _resident(here)
    found = growth.bytes
    found["member"] -= found["member in the search index"]
    found["status"] -= found["form key"] + found["status in the search index"]
    found["entry of a home"] = found["full home"] / _entries(here)
    rows = [Figure(f"memory: {name}", value, "bytes") for name, value in sorted(found.items())]
    rows.append(Figure("memory: the process, for every 100 bytes of data", overhead * 100, "bytes"))
    return rows + [
        Figure(f"memory: {size} million members", _site(found, size) * overhead / 1000, "GB")
        for size in SIZES
    ]


def _resident(here: Site) -> float:
    """Return the store's resident memory as a multiple of its used memory."""
    info = "\n".join(here.db.on_every_primary("INFO")).splitlines()
    facts = dict(line.split(":", 1) for line in info if ":" in line)
    status = Path(f"/proc/{facts['process_id']}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) * 1024 / int(facts["used_memory"])


def _site(found: dict[str, float], millions: int) -> float:
    """Return the megabytes of so many million members and the search index."""
    return (
        millions * _member(found) + Limits().search_max * found["status in the search index"] / 1e6
    )


def _member(found: dict[str, float]) -> float:
    """Return the bytes of an average member with everything they own."""
    active = found["visit of an active member"] + SESSIONS * found["session"] + found["full home"]
    active += POSTS_A_DAY * found["form key"]
    return (
        found["member"]
        + found["member in the search index"]
        + FOLLOWS * found["follow, both sides"]
        + STATUSES * found["status"]
        + ACTIVE * active
    )


def _some(made: Community, count: int) -> list[tuple[int, Any]]:
    return list(enumerate(made.people[:count], FIRST))


def _write(here: Site, people: Iterable[tuple[int, Any]]) -> int:
    """Sign members up with profiles."""
    count = 0
    for uid, person in people:
        member = registration.sign_up(here, person.login, person.name, "correct horse")
        assert member.uid == uid
        words = {"bio": person.bio, "location": person.place, "website": person.website}
        words |= {"avatar": f"{uid}/{PICTURE}"} if person.avatar else {}
        words |= {"header": f"{uid}/{PICTURE}"} if person.header else {}
        profile.edit(here, uid, {name: word for name, word in words.items() if word})
        count += 1
    return count


def _leave(here: Site) -> None:
    """Mark all members inactive, so that later posts enter no home."""
    send(here.db, (("DEL", account_keys.active_members(p)) for p in range(PARTITIONS)))


def _sign_in(here: Site) -> int:
    for uid in range(FIRST, FIRST + MEMBERS):
        sessions.start(here, uid, device=DEVICE)
    return MEMBERS


def _visit(here: Site) -> int:
    send(
        here.db,
        (
            ("ZADD", account_keys.active_members(partition_of(uid)), OLD_MS // 1000, uid)
            for uid in VISITORS
        ),
    )
    return len(VISITORS)


def _follow(here: Site) -> int:
    """Make every member follow some others, mostly popular ones."""
    draw, lists, count = Random(1), defaultdict[str, list[int]](list), 0
    everybody = range(FIRST, FIRST + MEMBERS)
    weights = [1 / (rank + 4) for rank in range(MEMBERS)]
    for uid in everybody:
        wanted = min(int(draw.lognormvariate(0, FOLLOWS_SPREAD) * FOLLOWS_MEDIAN) + 1, MEMBERS // 2)
        for target in set(draw.choices(everybody, weights, k=wanted)) - {uid}:
            count += 1
            lists[following_keys.following(uid)] += (OLD_MS * 1000 + count, target)
            lists[following_keys.followers(target)] += (OLD_MS * 1000 + count, uid)
    send(here.db, (("ZADD", name, *parts) for name, parts in lists.items()))
    return count


def _post(here: Site, made: Community) -> int:
    for number, written in enumerate(made.posts):
        post(here, FIRST + number % WRITERS, parse(written.text, 280), f"form-{number}")
    return len(made.posts)


def _forget_forms(here: Site) -> int:
    names = [
        name
        for uid in range(FIRST, FIRST + WRITERS)
        for name in here.db.run(("KEYS", status_keys.post_idempotency(uid, "*")))
    ]
    send(here.db, (("DEL", name) for name in names))
    return len(names)


def _remove_index(here: Site, count: int) -> int:
    """Remove the search index, which has so many members or statuses."""
    remove_layout(here.db, here.config.search_shards)
    return count


def _fill(here: Site) -> int:
    cap, slack = here.config.home_max, here.config.home_slack
    fill_homes(here.db, map(account_keys.home, FULL), range(cap, cap + slack + 1), mark=True)
    send(here.db, (("DEL", f"template:{length}") for length in range(cap, cap + slack + 1)))
    return len(FULL)


def _entries(here: Site) -> float:
    """Return the average bytes of an entry in a full home."""
    return here.config.home_max + here.config.home_slack / 2


def _pairs(reply: Any) -> dict[str, Any]:
    return reply if isinstance(reply, dict) else dict(zip(reply[::2], reply[1::2], strict=True))

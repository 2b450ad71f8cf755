"""Measure what shorter layouts of some keys would save, beside how they are kept.

Each pair holds the same COUNT things. In the other layout they lie in strings of fixed fields, in
hashes or sets so small that they are listpacks or arrays of numbers, or in lists cut into pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256

from webapp.accounts import keys as account_keys
from webapp.autocomplete import keys as name_keys
from webapp.core.store import PARTITIONS, Command, partition_of
from webapp.statuses import keys as status_keys

from .memory import Growth
from .site import OLD_MS, Site, send, site
from .table import Figure

COUNT = 20_000
UIDS = range(1_000_000, 1_000_000 + COUNT)
SHARD = 32  # fields of a hash: `hash-max-listpack-entries`
NUMBERS = 512  # entries of a set: `set-max-intset-entries`
LINES = 1_000  # entries of a piece of a list
LAYOUTS: dict[str, tuple[Callable[[], Iterator[Command]], Callable[[], Iterator[Command]]]] = {}


def measure() -> list[Figure]:
    """Return the bytes of one thing in each layout, the one that the site has as the reference."""
    with site() as here:
        here.db.on_every_primary("CONFIG", "SET", "lazyfree-lazy-user-del", "no")
        figures = []
        for name, layouts in LAYOUTS.items():
            ours, other = (_bytes(here, layout()) for layout in layouts)
            figures.append(Figure(f"packing: {name}", other, "bytes", ours, other / ours))
    return figures


def _bytes(here: Site, commands: Iterator[Command]) -> float:
    """Return by how much the data grows for one of COUNT things. Remove them again."""
    growth = Growth(here)
    kept = list(commands)

    def write() -> int:
        send(here.db, kept)
        return COUNT

    growth.measure("one", write)
    send(here.db, (("DEL", name) for name in {command[1] for command in kept}))
    return growth.bytes["one"]


def _form_keys() -> Iterator[Command]:
    for uid in UIDS:
        yield "SET", status_keys.post_idempotency(uid, _digest(uid)), _status(uid), "EX", 86_400


def _form_hashes() -> Iterator[Command]:
    for uid in UIDS:
        yield "HSET", f"forms:{_shard(uid)}", f"{uid}:{_digest(uid)}", _status(uid)


def _form_fields() -> Iterator[Command]:
    for _, name, field, value in _form_hashes():
        yield "HSETEX", name, "EX", 86_400, "FIELDS", 1, field, value


def _visits() -> Iterator[Command]:
    for uid in UIDS:
        yield "ZADD", account_keys.active_members(partition_of(uid)), OLD_MS // 1000, uid


def _facts() -> Iterator[Command]:
    for uid in UIDS:
        place = (uid - UIDS[0]) // PARTITIONS * 4
        yield "SETRANGE", f"facts:{partition_of(uid)}", place, "abcd"


def _names() -> Iterator[Command]:
    for uid in UIDS:
        yield "HSET", name_keys.indexed_names(partition_of(uid)), uid, f"7 member{uid} member {uid}"


def _name_shards() -> Iterator[Command]:
    for uid in UIDS:
        yield "HSET", f"names:{_shard(uid)}", uid, f"7 member{uid} member {uid}"


def _set() -> Iterator[Command]:
    for uid in UIDS:
        yield "SADD", "numbers", uid


def _set_shards() -> Iterator[Command]:
    for uid in UIDS:
        yield "SADD", f"numbers:{uid % (2 * COUNT // NUMBERS)}", uid


def _list() -> Iterator[Command]:
    for uid in UIDS:
        yield "RPUSH", "lines", f"A line of sixty bytes, such as an export has, about {uid}"


def _list_pieces() -> Iterator[Command]:
    for _, name, line in _list():
        yield "RPUSH", f"{name}:{int(line.split()[-1]) // LINES}", line


def _digest(uid: int) -> str:
    return sha256(str(uid).encode()).hexdigest()[:32]


def _status(uid: int) -> int:
    return 3_000_000_000_000_000 + uid * PARTITIONS


def _shard(uid: int) -> str:
    """Return a shard as a partition of a large site has it, filled to half of SHARD on average."""
    return f"{{{partition_of(uid)}}}:{uid // PARTITIONS % (COUNT // PARTITIONS * 2 // SHARD)}"


LAYOUTS |= {
    "form keys, in hashes of 32": (_form_keys, _form_hashes),
    "form keys, in hashes of 32 whose fields expire": (_form_keys, _form_fields),
    "last visits, in strings": (_visits, _facts),
    "names that are indexed, in hashes of 32": (_names, _name_shards),
    "a set of 20,000 numbers, in sets of 512": (_set, _set_shards),
    "a list of 20,000 lines, in lists of 1,000": (_list, _list_pieces),
}

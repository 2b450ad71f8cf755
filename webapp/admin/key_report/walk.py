"""`linnet doctor --keys`: what the store holds, by the kinds of keys that `keys.py` declare."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webapp.config import Config
from webapp.core.store import Db
from webapp.core.store.schema import PARTITION_TAGS

from .declared import Kind, kind_of

SLOTS = 1_000  # hint to SCAN: slots of the table that one answer covers
SAMPLES = 5  # elements that MEMORY USAGE looks at
PAUSE_EVERY = 100  # answers of SCAN
SMALL_STORE = 16 * 1024 * 1024  # bytes; partitions of fewer are never even
PARTITION_PATTERN = re.compile(rf"\{{({'|'.join(PARTITION_TAGS)})\}}")
SEEN_MAX = 10_000_000  # keys that are told apart; those beyond may be counted twice

LENGTHS = {
    "string": "STRLEN",
    "hash": "HLEN",
    "zset": "ZCARD",
    "set": "SCARD",
    "list": "LLEN",
    "stream": "XLEN",
}


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """One live key. `length`: its entries, or its bytes if it is a string."""

    name: str
    size: int  # bytes of memory
    length: int
    encoding: str
    expires: bool


@dataclass(slots=True)
class KindReport:
    """The report on one kind of key. Each finding names one key."""

    shape: str
    count: int = 0
    size: int = 0  # bytes of memory
    largest: KeyFacts | None = None
    longest: KeyFacts | None = None
    encodings: Counter[str] = field(default_factory=Counter)
    lasting: list[str] = field(default_factory=list)  # without the expiry that is declared
    past_bound: list[str] = field(default_factory=list)  # more than twice as long as declared

    def add(self, key: KeyFacts, kind: Kind, config: Config) -> None:
        """Count a key."""
        self.count += 1
        self.size += key.size
        self.encodings[key.encoding] += 1
        if not self.largest or key.size > self.largest.size:
            self.largest = key
        if not self.longest or key.length > self.longest.length:
            self.longest = key
        if kind.expires and not key.expires:
            self.lasting.append(key.name)
        if (bound := kind.length_max(config)) and key.length > 2 * bound:
            self.past_bound.append(key.name)


@dataclass(slots=True)
class KeyReport:
    """The report on all keys. `partitions`: bytes of memory by hash tag."""

    kinds: dict[str, KindReport] = field(default_factory=dict)
    partitions: Counter[str] = field(default_factory=Counter)

    def add(self, key: KeyFacts, config: Config) -> None:
        """Count a key."""
        kind = kind_of(key.name)
        self.kinds.setdefault(kind.shape, KindReport(kind.shape)).add(key, kind, config)
        if tag := PARTITION_PATTERN.search(key.name):
            self.partitions[tag[1]] += key.size

    @property
    def imbalance(self) -> float:
        """Return the bytes of the largest partition, to those of the mean. 1 for a small store."""
        sizes = [self.partitions[tag] for tag in PARTITION_TAGS]
        return max(sizes) * len(sizes) / sum(sizes) if sum(sizes) > SMALL_STORE else 1.0


def walk(db: Db, config: Config, noun: str = "", pause: float = 0.0) -> Iterator[KeyReport]:
    """Walk over every key of every primary, and yield the growing report after each answer.

    `noun`: the first part of the keys; "" for all. `pause`: seconds after each hundred answers.
    Three trips an answer, which covers a thousand slots of the store's table.
    """
    report = KeyReport()
    for number, names in enumerate(_new_names(db, f"{noun}:*" if noun else "*"), 1):
        for key in _facts(db, names):
            report.add(key, config)
        yield report
        if not number % PAUSE_EVERY:
            time.sleep(pause)


def _new_names(db: Db, pattern: str) -> Iterator[list[str]]:
    """Yield the names of keys, each once: SCAN repeats some, and so does a move of slots."""
    seen: set[int] = set()
    for names in db.scan(pattern, SLOTS):
        new = [name for name in names if hash(name) not in seen]
        if len(seen) < SEEN_MAX:
            seen.update(map(hash, new))
        yield new


def _facts(db: Db, names: Sequence[str]) -> Iterator[KeyFacts]:
    """Yield the facts of the keys that still exist. Two trips."""
    types = db.trip_all(("TYPE", name) for name in names)
    commands = [
        (
            ("MEMORY", "USAGE", name, "SAMPLES", SAMPLES),
            (LENGTHS[kind], name),
            ("OBJECT", "ENCODING", name),
            ("PTTL", name),
        )
        for name, kind in zip(names, types, strict=True)
        if kind in LENGTHS
    ]
    replies = db.trip_apart(commands)
    for (_, (_, name), *_rest), reply in zip(commands, replies, strict=True):
        if isinstance(reply, list) and None not in reply:  # else it is gone meanwhile
            size, length, encoding, ttl = reply
            yield KeyFacts(name, size, length, encoding, ttl >= 0)

"""The rules of `linnet doctor --verify`: the entries that they read, and their findings."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from webapp.core.store import Command, Db, Site
from webapp.core.store.schema import Key

LISTS = 20  # lists of one trip
ENTRIES = 50  # of each list, as a hint
KEYS = 200  # single keys of one trip


class Entry(NamedTuple):
    """An entry of the zset `name`, or the key `name` itself."""

    name: str
    member: str = ""
    score: str = ""

    @property
    def owner(self) -> int:
        """Return the id in the name of a key."""
        return int(self.name.split(":")[2])

    @property
    def id(self) -> int:
        """Return the id that an entry begins with."""
        return int(self.member.partition(":")[0])


class Fault(NamedTuple):
    """A fault of an entry. `mend`: the command that mends it, if there is one."""

    entry: Entry
    text: str
    mend: Command | None = None


# Returns what is wrong with some entries, in two or three trips.
Check = Callable[[Site, Sequence[Entry]], list[Fault]]


class Rule(NamedTuple):
    """A check of all keys of a kind, or of all entries of such zsets: `each_entry`."""

    key: Key
    check: Check
    each_entry: bool = False

    def pages(self, db: Db, names: Sequence[str]) -> Iterator[list[Entry]]:
        """Yield what is to be checked, among keys of all kinds. A trip for each page of entries."""
        own = [name for name in names if self.key.pattern.match(name)]
        return _scan(db, own) if self.each_entry else pages_of(own)


def pages_of(names: Sequence[str]) -> Iterator[list[Entry]]:
    """Yield keys in pages."""
    for start in range(0, len(names), KEYS):
        yield [Entry(name) for name in names[start : start + KEYS]]


def ask_each(db: Db, commands: Sequence[Command | None]) -> list[Any]:
    """Return the replies to commands, None for None. One trip, none without commands."""
    replies = iter(db.trip(*filter(None, commands)))
    return [next(replies) if command else None for command in commands]


def _scan(db: Db, names: Sequence[str]) -> Iterator[list[Entry]]:
    waiting: list[tuple[str, str]] = [(name, "0") for name in names]
    while waiting:
        batch, waiting = waiting[:LISTS], waiting[LISTS:]
        replies = db.trip_all(("ZSCAN", *one, "COUNT", ENTRIES) for one in batch)
        page = []
        for (name, _), (cursor, flat) in zip(batch, replies, strict=True):
            page += [Entry(name, *pair) for pair in zip(flat[::2], flat[1::2], strict=True)]
            if cursor != "0":
                waiting.append((name, cursor))
        yield page

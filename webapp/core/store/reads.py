"""Reads as values: commands for the store, and the parser of its replies.

Store modules return reads. `Db.fetch` sends any number of them in one round trip. A function that
needs a second trip takes a `Db` and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

Command = tuple[Any, ...]
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
U = TypeVar("U")


@dataclass(
    slots=True, eq=False
)  # not frozen: a page makes some forty, and that takes twice as long
class Read(Generic[T_co]):
    """Commands, and the function that turns their replies, in the same order, into a `T`.

    Nothing changes a read once it is made.
    """

    commands: tuple[Command, ...]
    parse: Callable[[Sequence[Any]], T_co]

    def map(self, function: Callable[[T_co], U]) -> Read[U]:
        """Return a copy of this read with `function` applied to its result."""
        return Read(self.commands, lambda replies: function(self.parse(replies)))

    def deferred(self) -> Read[Callable[[], T_co]]:
        """Return a copy of this read that is parsed only when its result is called."""
        return Read(self.commands, lambda replies: lambda: self.parse(replies))


class OptionalCommand(tuple[Any, ...]):
    """A command that a reader can do without. Its reply is None if the store refuses writes."""


def read(command: Command, parse: Callable[[Any], T]) -> Read[T]:
    """Return a read of one command; `parse` gets its reply."""
    return Read((command,), lambda replies: parse(replies[0]))


def read_numbers(command: Command) -> Read[list[int]]:
    """Read the reply of a command as whole numbers, such as the ids in a sorted set."""
    return read(command, lambda reply: list(map(int, reply)))


def constant(value: T) -> Read[T]:
    """Return a read that needs no command."""
    return Read((), lambda _: value)


def listed_in(key: str, values: Iterable[T]) -> Read[list[T]]:
    """Read which of some values a sorted set has, in their order. No command without values."""
    asked = tuple(values)
    if not asked:
        return constant([])
    return read(
        ("ZMSCORE", key, *asked),
        lambda scores: [one for one, at in zip(asked, scores, strict=True) if at is not None],
    )


def to_dict(flat: Sequence[str]) -> dict[str, str]:
    """Return a flat reply of names and values, such as a stream entry's fields, as a dict."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def parse_info(text: str) -> dict[str, str]:
    """Parse the reply to INFO."""
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def collect(reads: Iterable[Read[T]]) -> Read[list[T]]:
    """Combine reads of one kind into a read of the list of their results."""
    each = tuple(reads)
    return Read(_commands_of(each), lambda replies: _parse_each(each, replies))


def distinct(one: Read[T]) -> Read[T]:
    """Return a copy of a read that sends equal commands once."""
    places: dict[Command, int] = {}
    order = [places.setdefault(command, len(places)) for command in one.commands]
    return Read(tuple(places), lambda replies: one.parse([replies[place] for place in order]))


def failing(error: Exception) -> Read[Any]:
    """Return a read that needs no command and raises `error` when it is parsed."""

    def parse(_: Sequence[Any]) -> Any:
        raise error

    return Read((), parse)


@overload
def gather(a: Read[A], /) -> Read[tuple[A]]: ...
@overload
def gather(a: Read[A], b: Read[B], /) -> Read[tuple[A, B]]: ...
@overload
def gather(a: Read[A], b: Read[B], c: Read[C], /) -> Read[tuple[A, B, C]]: ...
@overload
def gather(a: Read[A], b: Read[B], c: Read[C], d: Read[D], /) -> Read[tuple[A, B, C, D]]: ...
@overload
def gather(
    a: Read[A], b: Read[B], c: Read[C], d: Read[D], e: Read[E], /
) -> Read[tuple[A, B, C, D, E]]: ...
@overload
def gather(*reads: Read[Any]) -> Read[tuple[Any, ...]]: ...
def gather(*reads: Read[Any]) -> Read[Any]:
    """Combine reads into one whose result is the tuple of theirs."""
    return Read(_commands_of(reads), lambda replies: tuple(_parse_each(reads, replies)))


def _commands_of(reads: Sequence[Read[Any]]) -> tuple[Command, ...]:
    commands: tuple[Command, ...] = ()
    for one in reads:
        commands += one.commands
    return commands


def _parse_each(reads: Sequence[Read[T]], replies: Sequence[Any]) -> list[T]:
    """Return the result of each read. `replies`: those of all reads, in order."""
    results, start = [], 0
    for one in reads:
        end = start + len(one.commands)
        results.append(one.parse(replies[start:end]))
        start = end
    return results

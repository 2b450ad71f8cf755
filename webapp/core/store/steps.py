"""Work in steps: generators that ask the store, so that several of them share its trips.

A step is the commands that a generator yields; it gets their replies. `do_steps` does one step of
each generator in one trip. So does `outcomes_of`, for generators that must not fail together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, TypeVar, overload

from webapp.core.errors import Unavailable

from .client import Db
from .reads import Command, Read

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")
Steps = Generator[Sequence[Command], Sequence[Any], T]


def do_steps(db: Db, *each: Steps[Any]) -> None:
    """Do the steps of all generators, one of each in a trip. Errors as `Db.trip` and `join`."""
    joined = join(*each)
    replies: Any = None
    with suppress(StopIteration):
        while True:
            replies = db.trip(*joined.send(replies))


def join(*each: Steps[Any]) -> Steps[None]:
    """Do the steps of all generators, one of each in a step.

    An error in a generator stops only that one. It is raised when the others have ended.
    """
    replies: list[Any] = [None] * len(each)
    failed: list[Exception] = []
    while True:
        asking = [
            (steps, commands)
            for steps, reply in zip(each, replies, strict=True)
            if (commands := _next_step(steps, reply, failed)) is not None
        ]
        if not asking:
            break
        each = tuple(steps for steps, _ in asking)
        found = iter((yield list(chain(*(commands for _, commands in asking)))))
        replies = [list(islice(found, len(commands))) for _, commands in asking]
    if failed:
        raise failed[0]


def outcomes_of(
    db: Db, each: Sequence[Steps[T]], before_trip: Callable[[], None] = lambda: None
) -> list[T | Exception]:
    """Do the steps of all generators, one of each in a trip. Return each one's result or error.

    A refused command raises in the generator that sent it; a store that does not answer, in all.
    """
    outcomes: list[Any] = [None] * len(each)
    asking: list[tuple[int, Sequence[Command]]] = []

    def resume(place: int, replies: Any) -> None:
        """Do a generator's next step with the replies to the one before, or raise their error."""
        steps = each[place]
        try:
            is_error = isinstance(replies, Exception)
            asking.append((place, steps.throw(replies) if is_error else steps.send(replies)))
        except StopIteration as end:
            outcomes[place] = end.value
        except Exception as error:
            outcomes[place] = error

    for place in range(len(each)):
        resume(place, None)
    while asking:
        sent, asking[:] = list(asking), ()
        before_trip()
        try:
            found = db.trip_apart([commands for _, commands in sent])
        except Unavailable as error:
            found = [error] * len(sent)
        for (place, _), replies in zip(sent, found, strict=True):
            resume(place, replies)
    return outcomes


@overload
def results_of(db: Db, a: Steps[A], /) -> tuple[A]: ...
@overload
def results_of(db: Db, a: Steps[A], b: Steps[B], /) -> tuple[A, B]: ...
def results_of(db: Db, *each: Steps[Any]) -> tuple[Any, ...]:
    """Do the steps of all generators, as `do_steps` does, and return their results."""
    return tuple(results_of_all(db, each))


def results_of_all(db: Db, each: Iterable[Steps[T]]) -> list[T]:
    """Do as `results_of`, for any number of generators of one kind."""
    results: dict[int, T] = {}

    def note(index: int, steps: Steps[T]) -> Steps[None]:
        results[index] = yield from steps

    do_steps(db, *(note(index, steps) for index, steps in enumerate(each)))
    return [results[index] for index in sorted(results)]


def ask(read: Read[T]) -> Steps[T]:
    """Return the result of a read. One step, none without commands."""
    replies = (yield read.commands) if read.commands else ()
    return read.parse(replies)


def send(*commands: Command) -> Steps[Sequence[Any]]:
    """Return the replies to commands. One step, none without commands."""
    return (yield commands) if commands else ()


def send_all(commands: Iterable[Command]) -> Steps[Sequence[Any]]:
    """Return the replies to any number of commands, as `send` does."""
    return send(*commands)


def in_order(db: Db, *groups: Sequence[Command]) -> Steps[list[list[Any]]]:
    """Send groups of commands, each after the one before. Return the replies, by group.

    One step on a single server, which works in the order of a trip; a step for each on a Cluster.
    Later groups may run although an earlier one was refused, so they must do no harm then.
    """
    if db.is_single_server:
        replies = iter((yield [command for group in groups for command in group]))
        return [list(islice(replies, len(group))) for group in groups]
    found = []
    for group in groups:
        found.append(list((yield from send(*group))))
    return found


def _next_step(
    steps: Steps[Any], replies: Any, failed: list[Exception]
) -> Sequence[Command] | None:
    """Return the next commands of a generator, None at its end. Its error is added to `failed`."""
    try:
        return steps.send(replies)
    except StopIteration:
        return None
    except Exception as error:
        failed.append(error)
        return None

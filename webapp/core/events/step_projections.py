"""Projections in steps: those that do not need each other share their trips.

A trip costs a worker more than the commands in it, so a run of few events takes little more time
for several projections than for the one with most steps. The runs of several partitions share trips
as well.
"""

from collections.abc import Callable, Sequence
from functools import update_wrapper
from typing import Any, TypeVar

from webapp.core.logs import request_id
from webapp.core.store import Steps, do_steps
from webapp.core.store.steps import join

from .outbox import Context, Event, Projection

T = TypeVar("T")
MakeSteps = Callable[[Context, Sequence[Event]], Steps[None]]


class StepProjection:
    """A projection in steps, or several that are done together."""

    def __init__(self, *parts: MakeSteps) -> None:
        self.parts = parts

    def __call__(self, context: Context, events: Sequence[Event]) -> None:
        """Apply all parts to a run of events."""
        do_steps(context.db, self.steps(context, events))

    def steps(self, context: Context, events: Sequence[Event]) -> Steps[None]:
        """Apply all parts to a run of events, in steps."""
        return join(*(part(context, events) for part in self.parts))


def in_steps(make: MakeSteps) -> StepProjection:
    """Return the projection of a generator of steps."""
    projection = StepProjection(make)
    update_wrapper(projection, make)
    return projection


def together(*projections: StepProjection) -> StepProjection:
    """Combine projections of which none needs the writes of another. They share their trips."""
    return StepProjection(*(part for one in projections for part in one.parts))


def steps_of(projection: Projection, context: Context, events: Sequence[Event]) -> Steps[None]:
    """Apply a projection to a run of events, in steps; in trips of its own if it has none."""
    if isinstance(projection, StepProjection):
        yield from projection.steps(context, events)
    else:
        projection(context, events)


def with_request_id(rid: str, steps: Steps[T]) -> Steps[T]:
    """Do steps under a request id, whatever is done between two of them."""
    replies: Any = None
    while True:
        token = request_id.set(rid)
        try:
            is_error = isinstance(replies, Exception)
            commands = steps.throw(replies) if is_error else steps.send(replies)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            request_id.reset(token)
        try:
            replies = yield commands
        except Exception as error:
            replies = error

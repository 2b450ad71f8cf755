"""Projections in steps: those that do not need each other share their trips.

A trip costs a worker more than the commands in it, so a run of few events takes little more time
for several projections than for the one with most steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper

from webapp.core.store.steps import Steps, do_steps

from .outbox import Context, Event

MakeSteps = Callable[[Context, Sequence[Event]], Steps[None]]


class StepProjection:
    """A projection in steps, or several that are done together."""

    def __init__(self, *parts: MakeSteps) -> None:
        self.parts = parts

    def __call__(self, context: Context, events: Sequence[Event]) -> None:
        """Apply all parts to a run of events."""
        do_steps(context.db, *(part(context, events) for part in self.parts))


def in_steps(make: MakeSteps) -> StepProjection:
    """Return the projection of a generator of steps."""
    projection = StepProjection(make)
    update_wrapper(projection, make)
    return projection


def together(*projections: StepProjection) -> StepProjection:
    """Combine projections of which none needs the writes of another. They share their trips."""
    return StepProjection(*(part for one in projections for part in one.parts))

"""Batches of homes that fan-out writes together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from webapp.config import Config
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Command, Read, Steps, ask, gather
from webapp.statuses.listings.timeline import no_result

BATCH_MAX = 4_000  # homes that one script writes: Lua's unpack() has its limit
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HomeDelivery:
    """An event, and uids of members whose homes it goes to."""

    event: Event
    uids: Sequence[str]


BuildCommands = Callable[[Context, Sequence[HomeDelivery]], list[Command]]


def batch_size(config: Config) -> int:
    """Return how many homes, or lists, one script may write."""
    return min(config.fanout_batch, BATCH_MAX)


class DeliveryBatch:
    """Deliveries that wait until they make a batch of homes."""

    def __init__(self, context: Context, build_commands: BuildCommands) -> None:
        self._context, self._build_commands = context, build_commands
        self.max_homes = batch_size(context.config)
        self._deliveries: list[HomeDelivery] = []
        self._home_count = 0

    def add(self, event: Event, uids: Sequence[str]) -> Steps[None]:
        """Add homes, if any. Sends the waiting ones first if they would be too many together."""
        if not uids:
            return
        if self._home_count + len(uids) > self.max_homes:
            yield from self.flush()
        self._deliveries.append(HomeDelivery(event, uids))
        self._home_count += len(uids)

    def flush(self) -> Steps[None]:
        """Send the waiting deliveries. One step."""
        yield from self.flush_and_read(no_result())

    def flush_and_read(self, extra: Read[T]) -> Steps[T]:
        """Send the waiting deliveries, and return the result of a read. One step."""
        waiting = self._deliveries
        commands = self._build_commands(self._context, waiting) if waiting else []
        _, result = yield from ask(gather(no_result(*commands), extra))
        self._context.heartbeat()
        self._deliveries, self._home_count = [], 0
        return result

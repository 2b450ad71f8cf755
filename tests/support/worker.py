"""The worker's work, done in the test's own process with the site's registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from webapp import registry
from webapp.config import Config
from webapp.core.events import inline
from webapp.core.events.consumer import PartitionConsumer
from webapp.core.events.group_loop import GroupLoop
from webapp.core.events.outbox import Projection
from webapp.core.store.client import Db


def drain(db: Db, config: Config, owner: str = "inline") -> None:
    """Apply all waiting events."""
    inline.drain(db, config, registry.REGISTRY, owner)


def group_loop(db: Db, config: Config, group: str, owner: str) -> GroupLoop:
    """Return a worker's loop for one group."""
    return GroupLoop(db, config, registry.REGISTRY, group, owner)


def consumer(db: Db, config: Config, group: str, partition: int, token: int) -> PartitionConsumer:
    """Return the consumer of one partition's events for one group."""
    return PartitionConsumer(db, config, registry.REGISTRY, group, partition, token)


def use_projections(
    patch: pytest.MonkeyPatch, table: Mapping[str, Mapping[str, Sequence[Projection]]]
) -> None:
    """Let workers apply these projections, by group and event type, and pause no longer."""
    patch.setattr(registry, "REGISTRY", replace(registry.REGISTRY, projections=table))
    patch.setattr("webapp.core.events.consumer.BACKOFF_SECONDS", 0)

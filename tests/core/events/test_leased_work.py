"""Leased work waits for replicas where one primary may lose what another has noted as done."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.conftest import empty_store
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.events import keys
from webapp.core.events.leased_work import LeasedWork
from webapp.core.store import Site
from webapp.core.store.connection import connect


class Work(LeasedWork[str]):
    """Writes each piece to the store."""

    found: Exception | None = None

    def claim(self, partition: int, busy_owners: Sequence[int]) -> list[str]:
        """Claim nothing."""
        return []

    def do(self, piece: str) -> None:
        """Write a piece, and keep the error."""
        try:
            self._site.db.run(("HSET", keys.event_attempts(1), piece, 1))
        except Unavailable as error:
            self.found = error


@pytest.mark.cluster
def test_on_a_cluster_a_piece_is_done_once_replicas_have_it(cluster: str, settings: Config) -> None:
    config = replace(settings, redis_url=cluster, write_replicas=1)
    empty_store(config)
    db = connect(config)
    work = Work(Site(db, config), 1)
    work._do("piece", 0)
    assert work.found and work.found.code == "not_replicated"
    db.close()

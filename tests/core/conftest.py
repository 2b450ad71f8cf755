"""A store that a test can stop."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from webapp.config import Config
from webapp.server import embedded_store


@pytest.fixture
def own_store(tmp_path: Path) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """Return the URL of a store of this test, and functions that stop and start it."""
    running = [embedded_store.start(tmp_path)]
    yield (
        Config(data_dir=tmp_path).store_url,
        lambda: embedded_store.stop(running.pop()),
        lambda: running.append(embedded_store.start(tmp_path)),
    )
    for process in running:
        embedded_store.stop(process)

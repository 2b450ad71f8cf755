"""How a fill reports how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

# Reports a step: gets its name and items, and yields the items one by one.
Progress = Callable[[str, Sequence[Any]], AbstractContextManager[Iterator[Any]]]

"""When the collector of a stream process runs."""

import asyncio
from collections.abc import Iterable

import pytest

from webapp.server import gc_freeze
from webapp.server.gc_freeze import FULL_COLLECT_EVERY, LOOKS, OPENED


class Ended(Exception):
    """The looks of a test are over."""


def collections(monkeypatch: pytest.MonkeyPatch, open_responses: Iterable[int]) -> list[int]:
    """Return the looks at which objects were frozen. `open_responses`: as each look finds them."""
    seen, looks, frozen, fully = iter(open_responses), 0, list[int](), list[int]()

    def count_open() -> int:
        nonlocal looks
        looks += 1
        try:
            return next(seen)
        except StopIteration:
            raise Ended from None

    async def go_on(_seconds: float) -> None:
        """Let no time pass."""

    monkeypatch.setattr(asyncio, "sleep", go_on)
    monkeypatch.setattr(gc_freeze.gc, "collect", lambda: 0)
    monkeypatch.setattr(gc_freeze.gc, "freeze", lambda: frozen.append(looks))
    monkeypatch.setattr(gc_freeze.gc, "unfreeze", lambda: fully.append(looks))
    with pytest.raises(Ended):
        gc_freeze.run(count_open).send(None)  # nothing in it waits
    assert fully == [look for look in frozen if look % FULL_COLLECT_EVERY == 0]
    return frozen


def test_it_runs_rarely_while_few_responses_open(monkeypatch: pytest.MonkeyPatch) -> None:
    found = collections(monkeypatch, [OPENED - 1] * (3 * LOOKS))
    assert found == [LOOKS, 2 * LOOKS, 3 * LOOKS]


def test_it_runs_at_once_when_many_have_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    found = collections(monkeypatch, [0, OPENED, OPENED, 2 * OPENED, 2 * OPENED, 9 * OPENED])
    assert found == [2, 4, 5, 6]


def test_it_looks_at_everything_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FULL_COLLECT_EVERY in collections(monkeypatch, [0] * FULL_COLLECT_EVERY)

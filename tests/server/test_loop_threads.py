"""Threads of an event loop: results, errors, context, and their end."""

import asyncio
import gc
import threading
from contextvars import ContextVar
from time import monotonic, sleep

import pytest

from tests.support.streaming.client import in_loop
from webapp.server.loop_threads import LoopThreads

NUMBER: ContextVar[int] = ContextVar("number", default=0)


def names() -> list[str]:
    """Return the names of threads that should end."""
    return [one.name for one in threading.enumerate() if one.name.startswith("ending_")]


def test_every_caller_gets_its_result_or_its_error() -> None:
    def work(number: int) -> int:
        if number % 7 == 0:
            raise ValueError(number)
        return NUMBER.get()

    async def call(threads: LoopThreads, number: int) -> int:
        NUMBER.set(number)
        return await threads.run(work, number)

    async def main() -> list[int | BaseException]:
        threads = LoopThreads(4, "tested")
        calls = (asyncio.ensure_future(call(threads, number)) for number in range(1_000))
        return await asyncio.gather(*calls, return_exceptions=True)

    for number, found in enumerate(in_loop(main())):
        assert found == number or (isinstance(found, ValueError) and found.args == (number,))
        assert isinstance(found, ValueError) is (number % 7 == 0)


def test_what_is_cancelled_in_time_does_not_run() -> None:
    ran: list[int] = []

    async def main() -> None:
        threads, begun, go = LoopThreads(1, "tested"), threading.Event(), threading.Event()

        def first() -> None:
            begun.set()
            go.wait()
            ran.append(1)

        running, waiting = threads.run(first), threads.run(ran.append, 2)
        await asyncio.to_thread(begun.wait)
        running.cancel()
        waiting.cancel()
        go.set()
        await threads.run(ran.append, 3)

    in_loop(main())
    assert ran == [1, 3]


@pytest.mark.parametrize("loops_end", [False, True], ids=["idle", "after their loop"])
def test_threads_end_with_their_owner(loops_end: bool) -> None:
    go = threading.Event()

    async def main() -> None:
        threads = LoopThreads(3, "ending")
        assert await threads.run(int, "5") == 5
        if loops_end:
            threads.run(go.wait)
        assert len(names()) == 3

    in_loop(main())
    go.set()
    gc.collect()
    deadline = monotonic() + 30
    while names() and monotonic() < deadline:
        sleep(0.01)
    assert not names()

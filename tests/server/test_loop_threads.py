"""Threads of an event loop: results, errors, context, and their end."""

import asyncio
import gc
import threading
from contextvars import ContextVar
from time import monotonic, sleep

import pytest

from tests.support.loops import in_loop
from webapp.server.bridge.loop_threads import LoopThreads

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


def test_a_stop_of_an_iterator_keeps_no_other_result_from_its_caller() -> None:
    begun, go = threading.Barrier(3), threading.Event()

    def stop() -> None:
        begun.wait()
        next(iter(()))

    def work() -> int:
        begun.wait()
        go.wait()
        return 5

    async def main() -> list[int | BaseException | None]:
        threads = LoopThreads(2, "tested")
        results = [threads.run(stop), threads.run(work)]
        begun.wait()  # the loop looks only once both are done
        go.set()
        while len(threads._done._results) < 2:
            sleep(0.01)
        done, _ = await asyncio.wait(results, timeout=30)
        assert len(done) == 2
        return await asyncio.gather(*results, return_exceptions=True)

    error, found = in_loop(main())
    assert isinstance(error, RuntimeError) and found == 5


def test_threads_that_could_not_start_do_so_later(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> int:
        threads = LoopThreads(2, "tested")
        with monkeypatch.context() as full:
            full.setattr(threading.Thread, "start", refuse)
            with pytest.raises(RuntimeError):
                threads.run(int, "4")
        return await asyncio.wait_for(threads.run(int, "5"), 30)

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    assert in_loop(main()) == 5


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

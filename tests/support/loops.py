"""Event loops of tests."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
NewLoop = Callable[[], asyncio.AbstractEventLoop]


def in_loop(coroutine: Coroutine[Any, Any, T], new_loop: NewLoop | None = None) -> T:
    """Run a coroutine in another thread: browser tests leave an event loop running in this one."""

    def run() -> T:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            return runner.run(coroutine)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()

"""Threads that run functions for an event loop.

Under load several functions are done before the loop looks. An executor of asyncio wakes the loop
for each, these threads wake it once. That saves a system call and a turn of the interpreter's lock.
"""

import asyncio
import contextvars
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThreads:
    """Threads for one event loop. They start with the first function, and end with this object."""

    def __init__(self, count: int, name: str) -> None:
        self._count, self._name = count, name
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._done = _Done()

    def run(self, function: Callable[..., T], *values: Any) -> asyncio.Future[T]:
        """Return the result of a function, which sees the context variables of the caller.

        Unless a thread has begun it, cancelling the result keeps the function from running.
        """
        if self._count:
            self._start()
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        bound = partial(contextvars.copy_context().run, function, *values)
        self._waiting.put(partial(self._done.put, result, bound))
        return result

    def _start(self) -> None:
        while self._count:
            name = f"{self._name}_{self._count - 1}"
            Thread(target=_work, args=(self._waiting,), name=name, daemon=True).start()
            self._count -= 1  # if one cannot start, the next function tries again
            weakref.finalize(self, self._waiting.put, None)  # each ends one


class _Done:
    """Results that threads have and the loop has not yet told."""

    def __init__(self) -> None:
        self._results: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        self._is_told = False  # the loop will look

    def put(self, future: asyncio.Future[T], function: Callable[[], T]) -> None:
        """Run a function in this thread, and let the loop tell its result."""
        if future.cancelled():
            return
        try:
            self._results.append((future, function(), None))
        except BaseException as error:  # also what ends a thread: the loop's caller waits
            self._results.append((future, None, error))
        if not self._is_told:
            self._is_told = True
            with suppress(RuntimeError):  # the loop has ended
                future.get_loop().call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        self._is_told = False  # first: what comes from now on is told by another call
        while self._results:
            future, result, error = self._results.popleft()
            if future.done():
                continue  # cancelled meanwhile
            if error is None:
                future.set_result(result)
            elif isinstance(error, StopIteration):  # no future takes it
                future.set_exception(RuntimeError("a function raised StopIteration"))
            else:
                future.set_exception(error)


def _work(waiting: SimpleQueue[Callable[[], None] | None]) -> None:
    while function := waiting.get():
        function()
        del function  # it holds a request

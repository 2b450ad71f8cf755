"""Call something many times at once."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from webapp.core.errors import Refused


def result_or_code(action: Callable[[], Any]) -> Any:
    """Return the result of an action, or the code of its refusal."""
    try:
        return action()
    except Refused as refusal:
        return refusal.code


def concurrently(action: Callable[[int], Any], n: int) -> list[Any]:
    """Call an action with each number on 50 threads, which begin together.

    Return the results or codes in order.
    """
    threads = min(n, 50)
    with ThreadPoolExecutor(threads, initializer=Barrier(threads).wait) as pool:
        return list(pool.map(lambda number: result_or_code(lambda: action(number)), range(n)))


def at_once(threads: int, action: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    """Call an action with each value on so many threads. Return the results in order."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(action, values))

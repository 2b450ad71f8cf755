"""Call something many times at once."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
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
    """Call an action with each number at the same time. Return the results or codes in order."""
    return together([partial(action, number) for number in range(n)])


def together(actions: Sequence[Callable[[], Any]]) -> list[Any]:
    """Call these on up to 50 threads, which begin together. Return the results or codes."""
    threads = min(len(actions), 50)
    with ThreadPoolExecutor(threads, initializer=Barrier(threads).wait) as pool:
        return list(pool.map(result_or_code, actions))


def at_once(threads: int, action: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    """Call an action with each value on so many threads. Return the results in order."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(action, values))

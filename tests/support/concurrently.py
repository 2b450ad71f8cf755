"""Call something many times at once."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from webapp.core.errors import Refused


def result_or_code(action: Callable[[], Any]) -> Any:
    """Return the result of an action, or the code of its refusal."""
    try:
        return action()
    except Refused as refusal:
        return refusal.code


def concurrently(action: Callable[[int], Any], n: int) -> list[Any]:
    """Call an action with each number on 20 threads. Return the results or codes in order."""
    return at_once(20, lambda number: result_or_code(lambda: action(number)), range(n))


def at_once(threads: int, action: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    """Call an action with each value on so many threads. Return the results in order."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(action, values))

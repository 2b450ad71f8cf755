"""Call something many times at once."""

from __future__ import annotations

from collections.abc import Callable
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
    with ThreadPoolExecutor(20) as pool:
        return list(pool.map(lambda number: result_or_code(lambda: action(number)), range(n)))

"""Read lists page by page, as readers do."""

from collections.abc import Callable, Iterator
from typing import Any


def pages(read: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield every page. `read` takes a cursor: None, then `next` of the page before."""
    page = read(None)
    yield page
    while page.next is not None:
        page = read(page.next)
        yield page


def items(read: Callable[[Any], Any], size: int = 0) -> list[Any]:
    """Return the items of all pages. Check that only the last has fewer than `size`, if given."""
    found: list[Any] = []
    for page in pages(read):
        assert not size or page.next is None or len(page.items) == size
        found += page.items
    return found


def ids(read: Callable[[Any], Any], size: int = 0) -> list[int]:
    """Return the ids of the items of all pages."""
    return [one.id for one in items(read, size)]

"""Small communities of `linnet demo`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from webapp.core.store import Site
from webapp.demo.community import Plan
from webapp.demo.fill import FeaturedMember, fill

NOW = 1_793_491_200_000  # unix ms: the same in every run, so that the community is the same
SMALL = Plan("1", NOW, members=6, statuses=150, days=20)
TINY = replace(SMALL, members=3, statuses=20)


def filled(site: Site, add: bool = False) -> FeaturedMember:
    """Fill a store with a tiny community."""
    return fill(site, TINY, add, silent).featured


@contextmanager
def silent(_: str, parts: Sequence[Any]) -> Iterator[Iterator[Any]]:
    """Show no progress."""
    yield iter(parts)

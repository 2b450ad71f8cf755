"""Filters of words on pages: what is left out of one, for who asks for it, and what is folded up there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from flask import g

from ..app import told
from ..paging import Page
from .boosts import status_of
from .filters import OPEN, Filter, Sieve, filters_from

TOLD = 2  # where the filters are among what is told of who asks
AnyPage = TypeVar("AnyPage", bound=Page[Any])


def own_filters() -> tuple[Filter, ...]:
    """The filters of who asks."""
    return filters_from(told()[TOLD]) if told() else ()


def sieve(where: str) -> Sieve:
    """What holds for who asks in one of PLACES."""
    filters = own_filters()
    return Sieve(filters, where, g.viewer.uid) if filters else OPEN


def sieved(page: AnyPage, where: str) -> AnyPage:
    """A page without what its reader's filters leave out of it, which it names. It may be short: a page
    that was filled up would take more trips the more is filtered.
    """
    chosen = sieve(where)
    if not chosen:
        return page
    hidden = {item.id: status_of(item).id for item in page.items if chosen.hides(status_of(item))}
    left = tuple(item for item in page.items if item.id not in hidden)
    return replace(page, items=left, filtered=tuple(hidden.values()))

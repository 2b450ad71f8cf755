"""Filters of words on pages: what is left out of one, for who asks for it, and what is folded up there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from flask import g

from webapp.core.web.pagination import Page
from webapp.core.web.prefetch import viewer_context
from webapp.statuses.items import status_of

from .store import NO_FILTERS, Filter, FilterSet

AnyPage = TypeVar("AnyPage", bound=Page[Any])


def viewer_filters() -> tuple[Filter, ...]:
    """The filters of who asks."""
    filters: tuple[Filter, ...] = viewer_context().get("filters", ())
    return filters


def filters_for(context: str) -> FilterSet:
    """What holds for who asks in one of PLACES."""
    filters = viewer_filters()
    return FilterSet(filters, context, g.viewer.uid) if filters else NO_FILTERS


def without_filtered(page: AnyPage, context: str) -> AnyPage:
    """A page without what its reader's filters leave out of it, which it names. It may be short: a page
    that was filled up would take more trips the more is filtered.
    """
    filter_set = filters_for(context)
    if not filter_set:
        return page
    hidden = {
        item.id: status_of(item).id for item in page.items if filter_set.hides(status_of(item))
    }
    remaining = tuple(item for item in page.items if item.id not in hidden)
    return replace(page, items=remaining, filtered=tuple(hidden.values()))

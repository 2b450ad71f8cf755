"""Applying the viewer's word filters to pages."""

from dataclasses import replace
from typing import Any, TypeVar

from flask import g

from webapp.core.rendering.kept_pages import changes_at
from webapp.core.web import Page, viewer_context
from webapp.statuses.items import status_of

from .filter_set import NO_FILTERS, Filter, FilterSet

AnyPage = TypeVar("AnyPage", bound=Page[Any])


def viewer_filters() -> tuple[Filter, ...]:
    """Return the viewer's filters."""
    filters: tuple[Filter, ...] = viewer_context().get("filters", ())
    return filters


def filters_for(context: str) -> FilterSet:
    """Return the viewer's active filters of a context, see FilterSet."""
    filters = viewer_filters()
    for one in filters:
        if one.expires_at and one.is_active:
            changes_at(one.expires_at)
    return FilterSet(filters, context, g.viewer.uid) if filters else NO_FILTERS


def without_filtered(page: AnyPage, context: str) -> AnyPage:
    """Return a page without hidden statuses, whose ids are in `filtered`.

    It may be short: filling it up would take more trips the more is filtered.
    """
    filter_set = filters_for(context)
    if not filter_set:
        return page
    hidden = {
        item.id: status_of(item).id for item in page.items if filter_set.hides(status_of(item))
    }
    remaining = tuple(item for item in page.items if item.id not in hidden)
    return replace(page, items=remaining, filtered=tuple(hidden.values()))

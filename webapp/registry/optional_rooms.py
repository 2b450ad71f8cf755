"""The rooms of the optional systems: found by name, so that the site works without their folders.

Such a room may have a `pages.py` with PAGES: its blueprints and its entry under "More". It may have
a `work.py` with WORK, its projections and jobs, and `findings` for `linnet doctor`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from webapp.core.events.registry import Registry
from webapp.core.store import Site
from webapp.features import feature_modules

if TYPE_CHECKING:
    from webapp.core.rendering.feature_pages import FeaturePages  # workers need no Flask


def feature_pages() -> dict[str, FeaturePages]:
    """Return the pages of the features that are installed, by feature."""
    return {name: module.PAGES for name, module in feature_modules("pages")}


def with_features(registry: Registry) -> Registry:
    """Return a registry with the work of the features that are installed.

    Their projections follow those of the site. They also run for a feature that is switched off,
    so that what it stores stays true; its jobs do not.
    """
    for name, module in feature_modules("work"):
        registry = registry.merge(_resting(name, module.WORK))
    return registry


def _resting(feature: str, work: Registry) -> Registry:
    """Return work whose jobs do nothing while its feature is switched off."""

    def resting(job: Any) -> Any:
        @wraps(job)
        def if_enabled(site: Site, argument: Any) -> Any:
            return job(site, argument) if feature in site.config.enabled_features else None

        return if_enabled

    return replace(
        work,
        due_jobs=[resting(job) for job in work.due_jobs],
        partition_jobs=[resting(job) for job in work.partition_jobs],
        scheduled=[replace(row, feature=feature) for row in work.scheduled],
    )

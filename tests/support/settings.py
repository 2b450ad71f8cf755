"""A site with other settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from webapp.core.site import Site


def with_settings(site: Site, **settings: Any) -> Site:
    """Return the site with some settings changed. It shares the store."""
    return Site(site.db, replace(site.config, **settings))

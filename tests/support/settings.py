"""A site with other settings."""

from dataclasses import replace
from typing import Any

from tests.support.world import World
from webapp.core.store import Site


def with_settings(site: Site, **settings: Any) -> World:
    """Return the site with some settings changed. It shares the store."""
    return World(site.db, replace(site.config, **settings))

"""The store and the settings of a site, which travel together."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.config import Config
from webapp.core.store.client import Db


@dataclass(frozen=True, slots=True)
class Site:
    """Holds what a function needs to read and change a site: its store and its settings."""

    db: Db
    config: Config

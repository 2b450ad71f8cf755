"""The present settings of a process: those of the environment, with the changes of the store."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from webapp.config import BadSetting, Config, changed
from webapp.core.logs import log
from webapp.core.store import Db, Site
from webapp.site_settings import NO_TABLE, CountryTable

from .bans_and_countries import parse_bans

CLOSED_SECONDS = 120  # after which whom a closed site has refused may ask again
ChangeHook = Callable[[Config], None]


class LiveSettings:
    """Holds a process's settings. Each change makes another Config, so a request keeps its own."""

    def __init__(self, base: Config) -> None:
        """Begin with the settings of the environment."""
        self.base = self.newest = self.current = base
        self.version = "0"  # of the store's values in `current`
        self.stored: Mapping[str, str] = {}
        self.hooks: list[ChangeHook] = []  # run before the first request with new settings
        self._lock = threading.Lock()

    def apply(
        self,
        version: str,
        stored: Mapping[str, str],
        bans: Mapping[str, str] | None = None,
        table: CountryTable = NO_TABLE,
    ) -> None:
        """Use the store's values of a version, unless they are older than those in use.

        A value that this process cannot use is left out. Version "0" is that of an empty store.
        """
        with self._lock:
            if 0 < int(version) <= int(self.version):
                return
            config = self.base
            for name, value in stored.items():
                try:
                    config = changed(config, {name: value})
                except (BadSetting, AttributeError) as error:
                    log.warning("the stored setting %s is not used: %s", name, error)
            config = replace(config, bans=parse_bans(bans or {}), country_table=table)
            # In this order nothing that is made of old settings is kept among the new.
            self.newest = config
            for hook in self.hooks:
                hook(config)
            self.current, self.stored, self.version = config, dict(stored), version


class LiveSite(Site):
    """A site whose settings are those of the moment, for what lives as long as its process."""

    __slots__ = ("_live",)
    _live: LiveSettings

    def __init__(self, db: Db, live: LiveSettings) -> None:
        object.__setattr__(self, "db", db)
        object.__setattr__(self, "_live", live)

    @property
    def config(self) -> Config:
        """Return the settings as they are now."""
        return self._live.current

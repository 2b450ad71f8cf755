"""The store and the settings of a site, which travel together."""

from dataclasses import dataclass
from typing import Any

from webapp.config import Config

from .client import Db
from .scripts import Script


@dataclass(frozen=True, slots=True)
class Site:
    """Holds what a function needs to read and change a site: its store and its settings."""

    db: Db
    config: Config

    def wait_for_replicas_of_cluster(self) -> None:
        """Let this thread's trips wait for replicas, if several primaries hold the site.

        What one of them lost in a failover, another would count as done.
        """
        if not self.db.is_single_server:
            config = self.config
            self.db.wait_for_replicas(config.write_replicas, config.write_replicas_disk)

    def run(self, script: Script, **values: Any) -> Any:
        """Call a script and return its reply. One trip. Raises as `Db.trip`.

        `values`: by the names of its header; the settings come from here if it takes them.
        """
        settings = (self.config,) if script.takes_settings else ()
        return self.db.run(script(*settings, **values))

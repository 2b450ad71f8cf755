"""Do upgrades of older data in the test's own process."""

from webapp.accounts import keys as account_keys
from webapp.core.store import Site
from webapp.registry.upgrades import DONE, UPGRADES, Pending


def run_upgrade(site: Site, name: str) -> None:
    """Do all slices of an upgrade, whether the store says that it is done or not."""
    one = next(one for one in UPGRADES if one.name == name)
    last_uid, position = int(site.db.run(("GET", account_keys.last_uid())) or 0), ""
    while position != DONE:
        position = Pending(one, position, last_uid).do_slice(site)

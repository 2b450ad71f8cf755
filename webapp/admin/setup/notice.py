"""The link to the page that makes the owner of a new site.

`linnet run` prints it, and stays: so this module imports little.
"""

from contextlib import suppress

from webapp.accounts import owner
from webapp.config import Config
from webapp.core.errors import Refused, StoreError
from webapp.core.store.connection import connect
from webapp.server.data_dir import site_url


def setup_notice(config: Config) -> str:
    """Return a line with the link for a site without members; "" if there are some."""
    with suppress(Refused, StoreError):
        db = connect(config)
        is_fresh = owner.is_fresh(db)
        db.close()
        return f"Nobody is here yet. Make it yours: {setup_link(config)}" if is_fresh else ""
    return ""


def setup_link(config: Config) -> str:
    """Return the address of the page that makes its visitor the owner."""
    return f"{site_url(config)}/setup?code={owner.setup_code(config)}"

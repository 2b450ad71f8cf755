"""How much memory of the store a full home timeline and a status take, as MEMORY USAGE tells it.

Both are written by the site's own scripts: a home of HOME_MAX entries, and a status with a hashtag.
"""

from __future__ import annotations

from webapp import keys
from webapp.statuses.store import post
from webapp.text import parse
from webapp.worker import drain

from .site import add_members, follow, site
from .table import Figure

AUTHOR, READER = 1, 2  # member ids
TEXT = parse("Larks sing while they climb, and I have never heard one stop for breath. #larks", 280)


def measure() -> list[Figure]:
    """Bytes of each."""
    with site() as here:
        add_members(here.db, [AUTHOR, READER])
        follow(here.db, {AUTHOR: [READER]})
        for number in range(here.config.home_max):
            status_id = post(here.db, here.config, AUTHOR, TEXT, f"form-{number}")
        drain(here.db, here.config)
        assert here.db.run(("ZCARD", keys.home(READER))) == here.config.home_max
        home, status = here.db.trip(
            ("MEMORY", "USAGE", keys.home(READER), "SAMPLES", 0),
            ("MEMORY", "USAGE", keys.status(status_id), "SAMPLES", 0),
        )
    return [
        Figure(f"memory of a home of {here.config.home_max:,} entries", home, "bytes"),
        Figure("memory of a status", status, "bytes"),
    ]

"""Rate limits: one leaky bucket script for every kind of act."""

from __future__ import annotations

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.config import Rate
from webapp.core.store.client import Db
from webapp.core.store.scripts import script
from webapp.errors import RateLimited

from . import keys

CONSUME = script("core/web/lua/rate_limit.lua")


def consume(db: Db, *limits: tuple[str, str, Rate]) -> None:
    """Counts one act against each (act, who, rate), in one trip. Raises RateLimited with the longest wait when one is
    full.
    """
    commands = [
        CONSUME([keys.rate_limit(act, who)], rate.burst, rate.period) for act, who, rate in limits
    ]
    wait = max(db.trip(*commands))
    if wait:
        raise rate_limited(wait)


def rate_limited(seconds: int) -> RateLimited:
    """What is raised where an act must wait so long."""
    return RateLimited("too_many", _wait_message(seconds), retry_after=seconds)


def _wait_message(seconds: int) -> str:
    if seconds < 90:
        wait = ngettext("%(num)d second", "%(num)d seconds", seconds)
    else:
        wait = ngettext("%(num)d minute", "%(num)d minutes", -(-seconds // 60))
    return str(_("That was too often. Please wait %(wait)s.", wait=wait))

"""Let members share hashtags and links from networks of their own."""

import time
from collections.abc import Iterable
from itertools import count

from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.compose.new_status import StatusOptions
from webapp.timelines.trends import counting
from webapp.timelines.trends.items import HOUR_MS

_forms = count(1)


def share(site: Site, uid: int, text: str, network: str | None = None, **options: object) -> int:
    """Post a text from a network, by default the member's own. Return its id."""
    chosen = f"net{uid}" if network is None else network
    every = StatusOptions(network=chosen, **options)  # type: ignore[typeddict-item]
    return statuses.post(site, uid, parse(text), f"trend{next(_forms)}", **every)


def share_all(site: Site, uids: Iterable[int], text: str) -> list[int]:
    """Let each member post a text, from a network of their own. Return the ids."""
    return [share(site, uid, text) for uid in uids]


def trending(db: Db, hours: int = 0) -> list[str]:
    """Return the items that trend so many hours from now: hashtags, then links."""
    now_ms = time.time_ns() // 1_000_000 + hours * HOUR_MS
    ranking = counting.rank(db, now_ms)
    return [trend.item for trend in (*ranking.tags, *ranking.links)]

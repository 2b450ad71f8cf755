"""Indexing the members and hashtags of a site that has some already.

The worker does it: each member gets an event, so that it happens in order with all that changes the
member meanwhile. Only so many events wait at a time, so posts and follows are not held up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from webapp.core.logs import request_id
from webapp.core.site import Site
from webapp.core.store.ids import partition_of

from .rank_projections import sync_command

WAITING_MAX = 200  # events of a partition that may wait before more are added


def request_reindex(site: Site, uids: Iterable[int]) -> None:
    """Have the worker index members, in order with their events. One trip.

    Handing a member over twice changes nothing. Raises Unavailable while workers have enough to do;
    some members are handed over then.
    """
    by_partition = defaultdict[int, list[int]](list)
    for uid in uids:
        by_partition[partition_of(uid)].append(uid)
    site.db.trip(
        *(
            sync_command(partition, some, "reindex_requested", request_id.get(), WAITING_MAX)
            for partition, some in by_partition.items()
        )
    )

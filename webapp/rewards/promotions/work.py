"""The work of workers for promotions."""

from __future__ import annotations

from webapp.core.events.bulk.slices import whole
from webapp.core.events.registry import Registry

from . import projections

WORK = Registry(
    projections={"discovery": {"promotion_changed": (projections.sync_index,)}},
    bulk={"account_deleted": (whole(projections.purge_deleted_account),)},
    partition_jobs=(projections.look_after,),
)

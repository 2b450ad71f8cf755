"""The work of workers for points."""

from __future__ import annotations

from webapp.core.events.bulk.slices import whole
from webapp.core.events.registry import Registry

from . import projections

WORK = Registry(
    projections={
        "discovery": {
            "checked_in": (projections.sync_boards,),
            "boards_chosen": (projections.sync_boards,),
            "profile_edited": (projections.sync_boards,),
            "suspended": (projections.sync_boards,),
            "restored": (projections.sync_boards,),
            "account_deleted": (projections.sync_boards,),
        }
    },
    bulk={"account_deleted": (whole(projections.burn_points),)},
)

"""The work of metrics: what workers measure and clean."""

from __future__ import annotations

from webapp.core.events.registry import Registry
from webapp.core.events.schedule.scheduled import Scheduled

from . import jobs

WORK = Registry(
    projections={},
    partition_jobs=(jobs.clean,),
    scheduled=(Scheduled("figures of the store", 10, jobs.measure),),
)

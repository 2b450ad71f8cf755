"""The work of metrics: what workers measure and clean."""

from __future__ import annotations

from webapp.core.events.registry import Registry

from . import jobs

WORK = Registry(projections={}, due_jobs=(jobs.Measurement(),), partition_jobs=(jobs.clean,))

"""An app is not built of events that nothing applies, nor of projections that nothing calls."""

from dataclasses import replace

import pytest

from webapp.registry import REGISTRY


def test_every_event_has_a_row_and_every_row_an_event() -> None:
    REGISTRY.require_rows()


def test_an_event_without_a_row_is_refused() -> None:
    log = {event: row for event, row in REGISTRY.projections["log"].items() if event != "liked"}
    lacking = replace(REGISTRY, projections={**REGISTRY.projections, "log": log})
    with pytest.raises(ValueError, match=r"without a row: \['liked'\]"):
        lacking.require_rows()


def test_a_row_without_an_event_is_refused() -> None:
    idle = replace(REGISTRY, bulk={**REGISTRY.bulk, "cheered": ()})
    with pytest.raises(ValueError, match=r"without an event: \['cheered'\]"):
        idle.require_rows()

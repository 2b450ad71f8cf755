"""Check that the benchmarks which call the site's own scripts still run, with few members."""

from __future__ import annotations

from itertools import count

import pytest

from bench import encodings
from bench.site import site


@pytest.mark.parametrize("variant", [encodings.REFERENCE, encodings.OTHERS[0]])
def test_homes_in_both_layouts_are_written_and_read(
    variant: encodings.Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count(1.0)  # of a store whose work is not measured
    monkeypatch.setattr(encodings, "READERS", range(2_000_000, 2_000_008))
    monkeypatch.setattr(encodings, "PAGES", 4)
    monkeypatch.setattr(encodings.Place, "_clock", lambda place: next(ticks))
    with site(home_max=variant.cap, home_slack=variant.slack) as here:
        place = encodings.Place(here, variant)
        assert place.deliveries() and place.pages(deep=False) and place.pages(deep=True)

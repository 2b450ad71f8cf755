"""Check that the benchmarks which call the site's own scripts still run, with few members."""

from dataclasses import replace
from itertools import count

import pytest

from bench import encodings, packing, simulate
from bench.simulation import runs
from bench.simulation.model import Costs, Load, Parts, scripts, simulate as run_model
from bench.simulation.runs import Used
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


def test_costs_are_found_in_runs_and_predict_others() -> None:
    worker, store = Parts(0.0005, 1e-6, 2e-5), Parts(0.0004, 8e-6, 1e-5)
    costs, used = Costs(worker, store, 0.0003), {}
    for kind, size in simulate.FITTED:
        count = scripts(size, 1, is_split=kind != simulate.ONE)
        stores = (store.of(size, count),)
        used[kind, size] = Used(worker.of(size, count), stores, costs.posting)
    found = simulate.fitted(used)
    for one, other in ((found.worker, worker), (found.store, store)):
        parts = (one.post, one.delivery, one.script), (other.post, other.delivery, other.script)
        assert parts[0] == pytest.approx(parts[1])


def test_a_simulated_site_is_late_only_if_something_is_too_slow() -> None:
    costs = Costs(Parts(0.001, 0, 0), Parts(0.0005, 0, 0), 0.0001)
    load = simulate.enough(costs, Load(posts=6_000, followers=60, primaries=3, workers=1))
    usual = run_model(costs, load)
    assert (load.workers, load.primaries) == (10, 6)
    assert usual.busiest_worker == pytest.approx(6 * 7 / 64)
    assert usual.busiest_primary == pytest.approx(3.6 * 11 / 64, rel=0.01)
    assert usual.refused == usual.late_until == 0 and usual.longest < 0.2
    lost = run_model(costs, replace(load, away=(10, 20)))
    assert lost.refused == pytest.approx(6_000 * 10 * load.shares[0])
    assert 9 < lost.longest < 11 and 20 < lost.late_until < 60
    hot = run_model(costs, replace(load, hot_share=0.3))
    assert hot.late_until > 100 and hot.refused > 0


def test_a_run_of_the_simulation_counts_worker_and_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "READERS", range(2_000_000, 2_000_008))
    monkeypatch.setattr(runs, "SIZES", (3,))
    monkeypatch.setattr(runs, "TOGETHER", 2)
    with site() as here:
        runs.prepare(here)
        used = runs.measure(here, 3)
    assert used.worker > 0 and len(used.stores) == 1


def test_every_shorter_layout_is_written_and_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "COUNT", 1_280)
    monkeypatch.setattr(packing, "UIDS", range(1_000_000, 1_001_280))
    figures = packing.measure()
    assert len(figures) == 6 and all(figure.reference for figure in figures)

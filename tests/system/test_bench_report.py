"""The report of `bench/peers`: targets, tables and chart."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from bench.peers import chart, report

SVG = "{http://www.w3.org/2000/svg}"
HOME, MIXED = 3, 6  # places among the workloads
RATES = {
    report.OURS: 1_000.0,
    report.BOOK: 500.0,
    report.SQL: 250.0,
    report.LEAST: 1_250.0,
    report.IDLE: 1_100.0,
}


def figures_of(name: str, rate: float) -> dict[str, Any]:
    """Return the figures of one workload."""
    if name in report.MOMENTS:
        return {"name": name, "times": [rate], "p50": rate, "errors": 0}
    return {
        "name": name,
        "rate": rate,
        "p50": 10.0,
        "p99": 30.0,
        "errors": 0,
        "bytes": 5_000,
        "requests": 10,
    }


def two_rounds() -> dict[str, Any]:
    """Return rounds in which Linnet is twice as fast as the book, four times as SQLAlchemy.

    The second round is half as fast for all.
    """
    names = [*report.TITLES, *report.MOMENTS]
    return {
        server: [[figures_of(name, rate * factor) for name in names] for factor in (1, 0.5)]
        for server, rate in RATES.items()
    }


def test_each_target_is_reported_as_met_or_missed() -> None:
    targets = {target.name: target for target in report.targets(two_rounds())}
    home = targets["home: to SQLAlchemy's"]
    assert home.figure == 4 and home.met
    post = targets["post: to a Flask view of one EVALSHA"]
    assert post.figure == pytest.approx(0.88) and post.met
    mixed = targets["mixed: p99 to p50"]
    assert mixed.figure == 3 and not mixed.met


def test_missed_targets_are_named() -> None:
    rounds = two_rounds()
    for figures in rounds[report.OURS]:
        figures[HOME]["rate"] /= 2
        figures[MIXED]["errors"] = 1
    missed = [
        "home: to SQLAlchemy's",
        "home: to the book's, a far smaller page",
        "mixed: p99 to p50",
        "the same, 50 followers, after 3 s of posts, ms",
        "mixed: errors",
    ]
    assert f"Missed: {'; '.join(missed)}. The load of the machine" in report.text(rounds, 0.2)


def test_the_tables_are_replaced_between_their_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{report.BEGIN}\nold\n{report.END}\n\n## After\n")
    report.write(two_rounds(), 0.2, page)
    written = page.read_text()
    report.write(two_rounds(), 0.2, page)
    assert page.read_text() == written
    assert "old" not in written
    assert written.startswith("# Before\n") and written.endswith("\n\n## After\n")
    row = "| home of 30 statuses | 750 a second | 375 a second | 188 a second | 2.00 | 4.00 |"
    assert row in written


def test_the_page_of_figures_has_the_marks() -> None:
    page = report.PAGE.read_text()
    assert page.count(report.BEGIN) == 1 == page.count(report.END)
    assert page.index(report.BEGIN) < page.index(report.END)
    assert "](peers.svg)" in page


def test_the_chart_shows_each_figure_in_words_and_bars() -> None:
    root = ElementTree.fromstring(chart.svg(report.medians(two_rounds())))
    title = root.find(f"{SVG}title")
    description = root.find(f"{SVG}desc")
    assert title is not None and description is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    bars = [bar for bar in root.iter(f"{SVG}rect") if bar.get("class") != "back"]
    assert len(bars) == 3 * (len(report.TITLES) + 2)
    ours, theirs = (float(bar.get("width") or 0) for bar in bars[:2])
    assert ours == pytest.approx(2 * theirs, rel=0.01)
    sentence = "home of 30 statuses: Linnet 750 /s, the book's 375 /s, SQLAlchemy 188 /s"
    assert sentence in (description.text or "")

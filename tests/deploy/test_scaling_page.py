"""docs/scaling.md repeats what was measured, and multiplies it correctly."""

import re

from tests.support.processes import ROOT

SCALING = (ROOT / "docs/scaling.md").read_text()
PERFORMANCE = (ROOT / "docs/performance.md").read_text()
NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?")
HOMES_A_CORE, POST_SECONDS, WORKER_SECONDS = 790, 0.0015, 0.001142
ACTIVE, HOMES_A_DAY, PEAK, OPEN_PAGES, STREAMS = 0.25, 10, 10, 0.1, 5_000
DAY = 86_400


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    section = SCALING.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def number(text: str) -> float:
    """Return the first number of a cell, with its word or unit."""
    value = float(NUMBER.findall(text)[0].replace(",", ""))
    return value * (1_000_000 if "million" in text else 1)


def test_measured_figures_are_those_of_the_performance_page() -> None:
    measured = set(NUMBER.findall(PERFORMANCE))
    for part, figure, _ in rows("What was measured"):
        assert set(NUMBER.findall(figure)) <= measured, part


def test_links_lead_to_headings_and_files() -> None:
    headings = re.findall(r"^#+ (.+)$", PERFORMANCE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
    for path, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]+))?\)", SCALING):
        assert (ROOT / "docs" / path).exists(), path
        assert not anchor or anchor in anchors, anchor


def test_reckoned_figures_follow_from_the_measured_ones() -> None:
    lines = [line for line in PERFORMANCE.splitlines() if line.startswith("|") and "illion" in line]
    memory = {line.split("|")[1].strip(): line for line in lines}
    for members, size, _, posts, homes, web, worker, streams in rows("What is reckoned"):
        assert size in memory[members]
        active = number(members) * ACTIVE
        posts_a_second = active / DAY * PEAK
        homes_a_second = posts_a_second * HOMES_A_DAY
        expected = {
            posts: posts_a_second,
            homes: homes_a_second,
            web: homes_a_second / HOMES_A_CORE + posts_a_second * POST_SECONDS,
            worker: posts_a_second * WORKER_SECONDS,
            streams: active * OPEN_PAGES / STREAMS,
        }
        for shown, value in expected.items():
            assert abs(number(shown) - value) <= max(value * 0.03, 0.05), (members, shown, value)

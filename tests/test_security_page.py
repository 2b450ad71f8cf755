"""docs/security.md: its counts are true, its rows are those of the standard, its tests exist."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/security.md").read_text()
ROW = re.compile(r"\| (\d+\.\d+\.\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|\Z")
# How many requirements of level 1 and 2 each chapter of ASVS 4.0.3 has.
CHAPTERS = {
    **{1: 38, 2: 53, 3: 18, 4: 9, 5: 30, 6: 13, 7: 12},
    **{8: 15, 9: 7, 10: 5, 11: 8, 12: 15, 13: 13, 14: 23},
}
ROWS = [match.groups() for line in PAGE.splitlines() if (match := ROW.match(line))]


def test_each_requirement_has_one_row() -> None:
    numbers = [number for number, *_ in ROWS]
    assert [one for one, count in Counter(numbers).items() if count > 1] == []
    assert Counter(int(number.split(".")[0]) for number in numbers) == CHAPTERS
    order = [tuple(map(int, number.split("."))) for number in numbers]
    assert order == sorted(order)


def test_the_counts_are_true() -> None:
    states = Counter(state for _, _, state, _ in ROWS)
    assert set(states) == {"met", "not applicable", "missing"}
    found = re.search(
        r"its (\d+) requirements, (\d+) are met, (\d+) are not applicable, and (\d+) are missing",
        PAGE,
    )
    assert found and [int(number) for number in found.groups()] == [
        len(ROWS),
        *(states[state] for state in ("met", "not applicable", "missing")),
    ]


def test_what_is_met_names_tests_that_exist_and_the_rest_says_why() -> None:
    for number, _, state, shown in ROWS:
        files = re.findall(r"`([\w/]+/test_\w+\.py|test_\w+\.py)`", shown)
        if state == "met":
            assert files and shown == ", ".join(f"`{file}`" for file in files), number
            assert [file for file in files if not (ROOT / "tests" / file).is_file()] == [], number
        else:
            assert len(shown.split()) >= 2 and not files, number


def test_its_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE)
    assert links and all((ROOT / "docs" / link).is_file() for link in links)

"""docs/security.md: its counts are true, its rows are those of the standard, its tests exist."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "webapp"
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


OUTWARD = re.compile(
    r"\b(safe_http\.(get|post)|smtplib\.\w+|subprocess\.\w+|S3Store|HTTPConnection"
    r"|urlopen|asyncio\.open_connection|create_connection)\("
)


def modules_with(pattern: re.Pattern[str]) -> set[str]:
    """Return the modules whose source has a match."""
    return {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if pattern.search(path.read_text())
    }


def modules_of(section: str) -> set[str]:
    """Return the modules that the tables of a section name."""
    text = PAGE.split(f"### {section}\n")[1].split("\n#")[0]
    return {path for path in re.findall(r"`([\w/]+\.py)`", text) if path != "config.py"}


@pytest.mark.tables
def test_each_way_out_of_the_site_is_named() -> None:
    ways_in = {"server/granian.py", "core/net/proxies.py", "core/store/connection.py"}
    assert modules_with(OUTWARD) | ways_in == modules_of("What crosses a boundary")


@pytest.mark.tables
def test_each_use_of_the_sites_key_is_named() -> None:
    found = modules_with(re.compile(r"(?<!core)\.secret_key\b|accepted_keys\("))
    # They make it, measure it, and ask whether it is set.
    others = {"config.py", "core/secret_key.py", "admin/setup/surroundings.py"}
    others |= {"admin/backups/backup.py"}
    assert found - others == modules_of("Keys")


def test_the_checklist_for_changes_names_tests_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    checklist = text.split("## Check a change for security\n")[1].split("\n## ")[0]
    assert len(re.findall(r"^- ", checklist, re.MULTILINE)) >= 10
    named = re.findall(r"`(tests/[\w/]+\.py)`", checklist)
    assert named and all((ROOT / path).is_file() for path in named)


def test_the_way_of_a_change_asks_for_threats() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    way = text.split("## The way of a change\n")[1].split("\n## ")[0]
    steps = re.findall(r"^\d\. \*\*([\w ]+)", way, re.MULTILINE)
    assert len(steps) == 7 and "Think of threats" in steps
    for page, anchor in re.findall(r"\]\(([\w/.]*)#([\w-]+)\)", way):
        linked = (ROOT / (page or "CONTRIBUTING.md")).read_text()
        headings = re.findall(r"^#+ (.+)$", linked, re.MULTILINE)
        assert anchor in {heading.lower().replace(" ", "-") for heading in headings}


def test_its_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGE)
    assert links and all((ROOT / "docs" / link).is_file() for link in links)

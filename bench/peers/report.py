"""What was found, as tables: the servers side by side, and what the site must reach."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

OURS, BOOK, SQL, IDLE, LEAST = (
    "Linnet",
    "the book's",
    "SQLAlchemy",
    "Linnet without a worker",
    "the least",
)
PEERS = (BOOK, SQL)
PAGE = Path(__file__).parent.parent.parent / "docs/performance.md"
BEGIN, END = "<!-- Between these lines `make bench-peers` writes. -->", "<!-- So much for that. -->"
TITLES = {
    "profile": "profile, for a visitor",
    "permalink": "permalink, for a visitor",
    "public": "public timeline, for a visitor",
    "home": "home of 30 statuses",
    "post": "post",
    "follow": "follow",
    "mixed": "90 % reads, 10 % writes, 64 connections",
}
MOMENTS = {
    "fan-out": "post until the last of 10,000 followers has it",
    "after posts": "the same, 50 followers, after 3 s of posts",
}
PAGES = ("profile", "permalink", "public")

Figures = Mapping[str, Any]
Rounds = Mapping[str, Sequence[Sequence[Figures]]]  # server → rounds → workloads


@dataclass(frozen=True, slots=True)
class Target:
    """Something that must be reached. `limit`: the least ratio that will do or, `at_most`, the greatest."""

    name: str
    ratio: float
    limit: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Whether it is."""
        return self.ratio <= self.limit if self.at_most else self.ratio >= self.limit


def medians(found: Rounds) -> dict[str, dict[str, dict[str, float]]]:
    """workload → server → what it is measured by → the median of the rounds; `errors` are those of all rounds."""
    return {
        name: {
            server: _middle(_rounds(found, server, name))
            for server in found
            if _rounds(found, server, name)
        }
        for name in (*TITLES, *MOMENTS)
    }


def ratio(found: Rounds, name: str, other: str, own: str = OURS) -> float:
    """The median of the rounds' ratios of our rate to another server's."""
    pairs = zip(_rounds(found, own, name), _rounds(found, other, name), strict=True)
    return median(one["rate"] / beside["rate"] for one, beside in pairs)


def targets(found: Rounds) -> list[Target]:
    """What the site must reach, as ratios in one run."""
    mixed = _rounds(found, OURS, "mixed")
    return [
        *(
            Target(f"{TITLES[name]}: to a constant WSGI app", ratio(found, name, LEAST), 0.6)
            for name in PAGES
        ),
        Target("home: to SQLAlchemy's", ratio(found, "home", SQL), 3),
        Target("home: to the book's, a far smaller page", ratio(found, "home", BOOK), 1.2),
        Target(
            "home: to a Flask view that returns the same bytes", ratio(found, "home", LEAST), 0.13
        ),
        Target(
            "post: to a Flask view that runs one EVALSHA", ratio(found, "post", LEAST, IDLE), 0.3
        ),
        Target(
            "mixed: p99 to p50", median(one["p99"] / one["p50"] for one in mixed), 4, at_most=True
        ),
        Target("mixed: errors", sum(one["errors"] for one in mixed), 0, at_most=True),
    ]


def text(found: Rounds, busy: float) -> str:
    """The tables, and a line that names what is missed. `busy`: the load of the machine before the run."""
    wanted = targets(found)
    missed = [target.name for target in wanted if not target.met]
    verdict = f"Missed: {'; '.join(missed)}." if missed else "All of it is reached."
    verdict += f" The load of the machine was {busy:.1f} before the run."
    return "\n".join(
        [*_side_by_side(found), "", *_least(found), "", *_reached(wanted), "", verdict]
    )


def write(found: Rounds, busy: float, page: Path = PAGE) -> None:
    """Puts the tables into the page, between its two marks. Raises ValueError where one is missing."""
    words = page.read_text()
    before, after = words[: words.index(BEGIN)], words[words.index(END) + len(END) :]
    page.write_text(f"{before}{BEGIN}\n\n{text(found, busy)}\n\n{END}{after}")


def _side_by_side(found: Rounds) -> list[str]:
    middle = medians(found)
    lines = [
        f"| {os.cpu_count()} cores, {len(found[OURS])} rounds | {OURS} | {BOOK} | {SQL} | to {BOOK} | to {SQL} |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, title in TITLES.items():
        rates = [f"{middle[name][server]['rate']:,.0f} a second" for server in (OURS, *PEERS)]
        ratios = [f"{ratio(found, name, peer):.2f}" for peer in PEERS]
        lines.append(_row(title, *rates, *ratios))
    for kind, shown in (("p50", "median"), ("p99", "p99")):
        times = [f"{middle['mixed'][server][kind]:,.0f} ms" for server in (OURS, *PEERS)]
        lines.append(_row(f"… {shown}", *times, "", ""))
    for name, title in MOMENTS.items():
        lines.append(
            _row(
                title,
                *(f"{middle[name][server]['p50']:,.0f} ms" for server in (OURS, *PEERS)),
                "",
                "",
            )
        )
    sizes = [f"{middle['home'][server]['size'] / 1000:.1f} KB" for server in (OURS, *PEERS)]
    lines.append(_row("a home as it is sent, with its head", *sizes, "", ""))
    errors = (
        f"{sum(one[server]['errors'] for one in middle.values()):.0f}" for server in (OURS, *PEERS)
    )
    return [*lines, _row("errors in all rounds of all of it", *errors, "", "")]


def _least(found: Rounds) -> list[str]:
    middle = medians(found)
    lines = [f"| reference | {OURS} | reference |", "| --- | ---: | ---: |"]
    least = dict.fromkeys(PAGES, "constant bytes, WSGI")
    least |= {"home": "the same bytes, Flask", "post": "one EVALSHA, Flask"}
    for name, what in least.items():
        own = IDLE if name == "post" else OURS  # nobody applies what the reference posts
        rates = (f"{middle[name][server]['rate']:,.0f} a second" for server in (own, LEAST))
        lines.append(_row(f"{TITLES[name]}: {what}", *rates))
    return lines


def _reached(wanted: Sequence[Target]) -> list[str]:
    lines = ["| must be reached | ratio | target | reached |", "| --- | ---: | ---: | --- |"]
    for target in wanted:
        limit = f"{'≤' if target.at_most else '≥'} {target.limit:g}"
        lines.append(
            _row(target.name, f"{target.ratio:.2f}", limit, "yes" if target.met else "**no**")
        )
    return lines


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _rounds(found: Rounds, server: str, name: str) -> list[Figures]:
    return [figures for round_ in found[server] for figures in round_ if figures["name"] == name]


def _middle(rounds: Sequence[Figures]) -> dict[str, float]:
    kinds = [kind for kind in ("rate", "p50", "p99") if kind in rounds[0]]
    found = {kind: median(float(one[kind]) for one in rounds) for kind in kinds}
    found["errors"] = sum(int(one["errors"]) for one in rounds)
    if "bytes" in rounds[0]:
        found["size"] = median(one["bytes"] / max(one["requests"], 1) for one in rounds)
    return found

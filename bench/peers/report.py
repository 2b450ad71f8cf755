"""Report results as tables: all servers side by side, and the targets of the site."""

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
    """Hold a target. `limit` is the least figure that passes or, with `at_most`, the greatest."""

    name: str
    figure: float
    limit: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Return whether the target is met."""
        return self.figure <= self.limit if self.at_most else self.figure >= self.limit


def medians(results: Rounds) -> dict[str, dict[str, dict[str, float]]]:
    """Return medians of the rounds by workload, server and measure; `errors` are summed."""
    return {
        name: {
            server: _middle(_rounds(results, server, name))
            for server in results
            if _rounds(results, server, name)
        }
        for name in (*TITLES, *MOMENTS)
    }


def ratio(results: Rounds, name: str, other: str, own: str = OURS) -> float:
    """Return the median of the rounds' ratios of our rate to another server's."""
    pairs = zip(_rounds(results, own, name), _rounds(results, other, name), strict=True)
    return median(ours["rate"] / theirs["rate"] for ours, theirs in pairs)


def targets(results: Rounds) -> list[Target]:
    """Return the targets of the site as ratios within one run, and one in ms."""
    mixed = _rounds(results, OURS, "mixed")
    tail = median(figures["p99"] / figures["p50"] for figures in mixed)
    queued = median(figures["p50"] for figures in _rounds(results, OURS, "after posts"))
    constant = "to a constant WSGI app"
    return [
        *(
            Target(f"{TITLES[name]}: {constant}", ratio(results, name, LEAST), 0.6)
            for name in PAGES
        ),
        Target("home: to SQLAlchemy's", ratio(results, "home", SQL), 3),
        Target("home: to the book's, a far smaller page", ratio(results, "home", BOOK), 2.5),
        Target("home: to a Flask view of the same bytes", ratio(results, "home", LEAST), 0.25),
        Target("post: to the book's", ratio(results, "post", BOOK), 1.4),
        Target("post: to SQLAlchemy's", ratio(results, "post", SQL), 1),
        Target("post: to a Flask view of one EVALSHA", ratio(results, "post", LEAST, IDLE), 0.55),
        Target("follow: to the book's", ratio(results, "follow", BOOK), 1),
        Target("mixed: to the book's", ratio(results, "mixed", BOOK), 1.6),
        Target("mixed: p99 to p50", tail, 2, at_most=True),
        Target(f"{MOMENTS['after posts']}, ms", queued, 60, at_most=True),
        Target("mixed: errors", sum(figures["errors"] for figures in mixed), 0, at_most=True),
    ]


def text(results: Rounds, busy: float) -> str:
    """Return the tables and a line of missed targets. `busy`: the machine's load before the run."""
    wanted = targets(results)
    missed = [target.name for target in wanted if not target.met]
    verdict = f"Missed: {'; '.join(missed)}." if missed else "All of it is reached."
    verdict += f" The load of the machine was {busy:.1f} before the run."
    return "\n".join(
        [*_side_by_side(results), "", *_least(results), "", *_reached(wanted), "", verdict]
    )


def write(results: Rounds, busy: float, page: Path = PAGE) -> None:
    """Insert the tables into the page between its two markers. Raises ValueError without them."""
    words = page.read_text()
    before, after = words[: words.index(BEGIN)], words[words.index(END) + len(END) :]
    page.write_text(f"{before}{BEGIN}\n\n{text(results, busy)}\n\n{END}{after}")


def _side_by_side(results: Rounds) -> list[str]:
    middle = medians(results)
    lines = [
        f"| {os.cpu_count()} cores, {len(results[OURS])} rounds "
        f"| {OURS} | {BOOK} | {SQL} | to {BOOK} | to {SQL} |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, title in TITLES.items():
        rates = [f"{middle[name][server]['rate']:,.0f} a second" for server in (OURS, *PEERS)]
        ratios = [f"{ratio(results, name, peer):.2f}" for peer in PEERS]
        lines.append(_row(title, *rates, *ratios))
    for kind, label in (("p50", "median"), ("p99", "p99")):
        times = [f"{middle['mixed'][server][kind]:,.0f} ms" for server in (OURS, *PEERS)]
        lines.append(_row(f"… {label}", *times, "", ""))
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
        f"{sum(figures[server]['errors'] for figures in middle.values()):.0f}"
        for server in (OURS, *PEERS)
    )
    return [*lines, _row("errors in all rounds of all of it", *errors, "", "")]


def _least(results: Rounds) -> list[str]:
    middle = medians(results)
    lines = [f"| reference | {OURS} | reference |", "| --- | ---: | ---: |"]
    least = dict.fromkeys(PAGES, "constant bytes, WSGI")
    least |= {"home": "the same bytes, Flask", "post": "one EVALSHA, Flask"}
    for name, what in least.items():
        own = IDLE if name == "post" else OURS  # nobody applies what the reference posts
        rates = (f"{middle[name][server]['rate']:,.0f} a second" for server in (own, LEAST))
        lines.append(_row(f"{TITLES[name]}: {what}", *rates))
    return lines


def _reached(wanted: Sequence[Target]) -> list[str]:
    lines = ["| must be reached | figure | target | reached |", "| --- | ---: | ---: | --- |"]
    for target in wanted:
        limit = f"{'≤' if target.at_most else '≥'} {target.limit:g}"
        lines.append(
            _row(target.name, f"{target.figure:.2f}", limit, "yes" if target.met else "**no**")
        )
    return lines


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _rounds(results: Rounds, server: str, name: str) -> list[Figures]:
    return [figures for round_ in results[server] for figures in round_ if figures["name"] == name]


def _middle(rounds: Sequence[Figures]) -> dict[str, float]:
    kinds = [kind for kind in ("rate", "p50", "p99") if kind in rounds[0]]
    medians_ = {kind: median(float(figures[kind]) for figures in rounds) for kind in kinds}
    medians_["errors"] = sum(int(figures["errors"]) for figures in rounds)
    if "bytes" in rounds[0]:
        medians_["size"] = median(
            figures["bytes"] / max(figures["requests"], 1) for figures in rounds
        )
    return medians_

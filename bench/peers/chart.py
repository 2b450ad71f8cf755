"""A chart of what was found: a panel for each workload, a bar for each server, as SVG by hand."""

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from .report import BOOK, MOMENTS, OURS, SQL, TITLES

FILE = Path(__file__).parent.parent.parent / "docs/peers.svg"
SERVERS = {OURS: "ours", BOOK: "book", SQL: "sql"}
TITLE = "Linnet beside its peers"
COLUMNS, WIDTH, LEFT, VALUE = (
    2,
    450,
    92,
    88,
)  # panels in a row; pixels of a panel, of its labels, and of its figures
BAR, GAP, HEAD, MARGIN = 18, 6, 34, 20
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2625 }
  .head { font-weight: 600 } .title { font-size: 18px; font-weight: 600 } .quiet { fill: #57605e }
  .back { fill: #ffffff } .ours { fill: #0b7a5b } .book { fill: #b0741b } .sql { fill: #5b6fb5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8eeec } .quiet { fill: #a3aeab } .back { fill: #161b1a }
    .ours { fill: #3fbf95 } .book { fill: #dba24d } .sql { fill: #93a4e6 }
  }
"""

Middle = Mapping[str, Mapping[str, Mapping[str, float]]]  # workload → server → kind of figure


def write(middle: Middle, file: Path = FILE) -> None:
    """Write the chart to a file."""
    file.write_text(svg(middle))


def svg(middle: Middle) -> str:
    """Return the chart. Each panel has its own scale."""
    panels = list(_panels(middle))
    height = HEAD + len(SERVERS) * (BAR + GAP) + GAP
    rows = -(-len(panels) // COLUMNS)
    total_width, total_height = COLUMNS * WIDTH + 2 * MARGIN, 2 * MARGIN + 44 + rows * height
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width} {total_height}" '
        f'width="{total_width}" height="{total_height}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(TITLE)}</title>',
        f'<desc id="desc">{escape(_description(panels))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{total_width}" height="{total_height}" rx="8"/>',
        f'<text class="title" x="{MARGIN}" y="{MARGIN + 16}">{escape(TITLE)}</text>',
        f'<text class="quiet" x="{MARGIN}" y="{MARGIN + 36}">'
        "Answers a second, where longer is better, and then milliseconds, "
        "where shorter is better.</text>",
    ]
    for place, (title, unit, values) in enumerate(panels):
        left, top = MARGIN + place % COLUMNS * WIDTH, MARGIN + 48 + place // COLUMNS * height
        body += _panel(left, top, title, unit, values)
    return "\n".join([*body, "</svg>", ""])


def _panels(middle: Middle) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Return the title, unit and figures of each panel."""
    for name, title in TITLES.items():
        yield title, "a second", {server: middle[name][server]["rate"] for server in SERVERS}
    yield "p99 of that load", "ms", {server: middle["mixed"][server]["p99"] for server in SERVERS}
    yield MOMENTS["fan-out"], "ms", {server: middle["fan-out"][server]["p50"] for server in SERVERS}


def _panel(
    left: int, top: int, title: str, unit: str, values: Mapping[str, float]
) -> Iterator[str]:
    yield f'<text class="head" x="{left}" y="{top + 22}">{escape(title)}</text>'
    largest = max(*values.values(), 1e-9)
    for place, (server, value) in enumerate(values.items()):
        y, length = (
            top + HEAD + place * (BAR + GAP),
            max((WIDTH - LEFT - VALUE - MARGIN) * value / largest, 1),
        )
        yield f'<text x="{left}" y="{y + 14}">{escape(server)}</text>'
        yield (
            f'<rect class="{SERVERS[server]}" x="{left + LEFT}" y="{y}" width="{length:.1f}" '
            f'height="{BAR}" rx="3"/>'
        )
        yield (
            f'<text class="quiet" x="{left + LEFT + length + 8:.1f}" y="{y + 14}">'
            f"{_format(value, unit)}</text>"
        )


def _description(panels: list[tuple[str, str, dict[str, float]]]) -> str:
    parts = (
        f"{title}: "
        + ", ".join(f"{server} {_format(value, unit)}" for server, value in values.items())
        for title, unit, values in panels
    )
    return "; ".join(parts) + "."


def _format(value: float, unit: str) -> str:
    return f"{value:,.0f} {'ms' if unit == 'ms' else '/s'}"

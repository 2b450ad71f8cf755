"""`python -m bench [name …]`: takes the measurements and prints them as a table."""

from __future__ import annotations

import sys

from . import deliveries, http, memory
from .table import markdown

PARTS = {"deliveries": deliveries.measure, "http": http.measure, "memory": memory.measure}


def main(names: list[str]) -> None:
    """All the parts, or those named."""
    figures = [figure for name in names or PARTS for figure in PARTS[name]()]
    print("Medians of alternating rounds on one machine; the store does not write to disk for either side.\n")
    print(markdown(figures))
    missed = [figure.name for figure in figures if figure.met is False]
    print()
    print(f"Targets missed: {'; '.join(missed)}." if missed else "All targets are met.")


if __name__ == "__main__":
    main(sys.argv[1:])

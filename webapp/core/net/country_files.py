"""Parse a table of countries: rows of a start, an end and a code, or of a network and a code."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network

from webapp.site_settings import CountryParts

from .ip import parse_address

RANGES_MAX = 1_000_000
BITS = {4: 32, 6: 128}
CODE_PATTERN = re.compile(r"[A-Z]{2}\Z")
UNKNOWN, GAP = ("", "-", "ZZ"), "  "  # codes of no country: in files, and in a table
Address = IPv4Address | IPv6Address
Range = tuple[int, int, str, int]  # first and last address, code, line


class BadTable(ValueError):
    """A table that cannot be used. The text names the line."""


def parse_table(lines: Iterable[str]) -> CountryParts:
    """Return the ranges of a CSV file, whose first line may be a header. More columns are ignored.

    Raises BadTable for a row that is no range, a range that ends before it begins, and one that
    overlaps another. Raises csv.Error for what is no CSV.
    """
    found: dict[int, list[Range]] = {version: [] for version in BITS}
    rows = csv.reader(lines)
    for row in rows:
        line = rows.line_num
        if not row or (line == 1 and parse_address(row[0].partition("/")[0]) is None):
            continue
        version, one = _parse_row(row, line)
        if one[2] not in UNKNOWN:
            found[version].append(one)
    if not 0 < sum(map(len, found.values())) <= RANGES_MAX:
        raise BadTable(f"There are no ranges, or more than {RANGES_MAX:,}.")
    return {
        version: _pack(sorted(ranges, key=_place), version) for version, ranges in found.items()
    }


def _place(one: Range) -> tuple[int, int]:
    """Return the sort key of ranges. Of two that begin together, the later line comes last."""
    return one[0], one[3]


def _parse_row(row: Sequence[str], line: int) -> tuple[int, Range]:
    """Return the version of a range's addresses, and the range. Raises BadTable."""
    try:
        first, last, code = _columns(row)
    except (ValueError, IndexError):
        raise BadTable(f"Line {line}: a start, an end and a code are needed.") from None
    if first.version != last.version or int(first) > int(last):
        raise BadTable(f"Line {line}: the range ends before it begins.")
    if code not in UNKNOWN and not CODE_PATTERN.match(code):
        raise BadTable(f"Line {line}: {code!r} is no code of a country.")
    return first.version, (int(first), int(last), code, line)


def _columns(row: Sequence[str]) -> tuple[Address, Address, str]:
    """Return a row's first and last address, and its code. Raises ValueError, IndexError."""
    if "/" in row[0]:
        network = ip_network(row[0].strip())
        return network[0], network[-1], row[1].strip()
    first, last = parse_address(row[0]), parse_address(row[1])
    if first is None or last is None:
        raise ValueError(row)
    return first, last, row[2].strip()


def _pack(ranges: Sequence[Range], version: int) -> tuple[bytes, bytes]:
    rows = list(_with_gaps(ranges, 1 << BITS[version]))
    starts = b"".join(start.to_bytes(BITS[version] // 8, "big") for start, _ in rows)
    return starts, "".join(code for _, code in rows).encode()


def _with_gaps(ranges: Sequence[Range], end: int) -> Iterator[tuple[int, str]]:
    """Yield the starts of ranges and gaps with their codes. Raises BadTable for an overlap.

    `ranges`: by start. `end`: above the last address.
    """
    free, code_before = 0, GAP
    for first, last, code, line in ranges:
        if first < free:
            raise BadTable(f"Line {line}: the range overlaps another.")
        if first > free and code_before != GAP:
            yield free, (code_before := GAP)
        if code != code_before:
            yield first, (code_before := code)
        free = last + 1
    if free < end and code_before != GAP:
        yield free, GAP

"""A table of countries: every address gets what a linear scan finds, and gaps get nothing."""

from collections.abc import Callable
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from webapp.admin.doctor import findings
from webapp.cli import main
from webapp.config import Config, changed
from webapp.core.net.countries import country_of
from webapp.core.net.country_files import BITS, BadTable, parse_table
from webapp.core.settings import keys
from webapp.core.settings.bans_and_countries import use_no_table, use_table
from webapp.core.settings.live import LiveSettings
from webapp.core.settings.store import refresh
from webapp.core.store import Db, Site
from webapp.site_settings import CountryTable

Finder = Callable[[str], str]
CSV = "start,end,country\n8.8.8.0,8.8.8.255,US\n193.0.0.0,193.0.7.255,DE\n2a00::,2a00::ff,FR\n"


def finder(text: str) -> Finder:
    table = CountryTable("one", parts=parse_table(text.splitlines()))
    settings = replace(Config(), country_table=table)
    return lambda address: country_of(settings, address)


def random_ranges(random: Random, version: int, count: int) -> list[tuple[int, int, str]]:
    """Return ranges of public addresses, some side by side, some with gaps between them."""
    first, last = (20 << 24, 100 << 24) if version == 4 else (0x2600 << 112, 0x2601 << 112)
    edges = sorted(random.sample(range(first, last), 2 * count)) if version == 4 else []
    while len(edges) < 2 * count:
        edges = sorted({*edges, random.randrange(first, last)})
    ranges, start = [], edges[0]
    for edge in edges[1:]:
        if random.random() < 0.7:
            ranges.append((start, edge - 1, random.choice(("DE", "FR", "CN"))))
        start = edge
    return ranges


@pytest.mark.parametrize("version", [4, 6])
def test_ten_thousand_addresses_equal_a_linear_scan(version: int) -> None:
    random = Random(version)
    ranges, kind = random_ranges(random, version, 100), {4: IPv4Address, 6: IPv6Address}[version]
    shuffled = random.sample(ranges, len(ranges))
    find = finder("\n".join(f"{kind(one)},{kind(end)},{code}" for one, end, code in shuffled))
    edges = {edge + by for one, end, _ in ranges for edge in (one, end) for by in (-1, 0, 1)}
    low, high = ranges[0][0] - 5_000, ranges[-1][1] + 5_000
    for number in [*edges, *(random.randrange(low, high) for _ in range(10_000))]:
        scanned = next((code for one, end, code in ranges if one <= number <= end), "")
        assert find(str(kind(number))) == scanned


def test_networks_mapped_addresses_the_last_range_and_what_is_unknown() -> None:
    find = finder(
        "network,code,name\n8.8.8.0/24,US,x\n::/1,FR\n8000::/1,CN\n9.0.0.0/8,ZZ\n,\n"[:-2]
    )
    assert find("8.8.8.8") == find("::ffff:8.8.8.8") == find("8.8.8.255") == "US"
    assert find("2a00::1") == "FR" and find("8.8.9.0") == find("8.8.7.255") == find("9.1.1.1") == ""
    for private in ("10.0.0.1", "127.0.0.1", "::1", "fe80::1", "224.0.0.1", "", "x", "unknown"):
        assert find(private) == ""
    assert max(BITS.values()) == 128


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b,c\n8.8.8.9,8.8.8.8,US", "Line 2: the range ends before it begins."),
        ("8.8.8.0,8.8.8.9,US\n8.8.8.9,8.8.9.0,DE", "Line 2: the range overlaps another."),
        ("8.8.8.0/24,US\n8.8.8.0/25,US", "Line 2: the range overlaps another."),
        ("8.8.8.0,2a00::,US", "Line 1: the range ends before it begins."),
        ("8.8.8.0,8.8.8.9,us", "Line 1: 'us' is no code of a country."),
        ("8.8.8.0,8.8.8.9", "Line 1: a start, an end and a code are needed."),
        ("8.8.8.1/24,US", "Line 1: a start, an end and a code are needed."),
        ("8.8.8.0,8.8.8.9,US\nx,y,DE", "Line 2: a start, an end and a code are needed."),
        ("", "There are no ranges, or more than 1,000,000."),
        ("8.8.8.0/24,-", "There are no ranges, or more than 1,000,000."),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(BadTable, match=words):
        parse_table(text.splitlines())


def load(folder: Path, settings: Config, text: str | None, *options: str) -> tuple[int, str]:
    """Run the command with a file of this text, or without one."""
    path = folder / "table.csv"
    path.write_text(text or "")
    arguments = ["load-countries", *([] if text is None else [str(path)]), *options]
    result = CliRunner().invoke(main, arguments, env={"REDIS_URL": settings.store_url})
    return result.exit_code, result.output


def test_a_table_is_used_by_every_process_until_another_is(site: Site, tmp_path: Path) -> None:
    live, licence = LiveSettings(site.config), ("--licence", "Ours", "--date", "2026-01-02")
    for text, code in ((CSV, "US"), (CSV.replace("US", "CN"), "CN")):
        result = load(tmp_path, site.config, text, *licence)
        assert result == (0, "A table of 6 ranges and gaps, of 2026-01-02, is in use.\n")
        refresh(site.db, live)
        assert country_of(live.current, "8.8.8.8") == code
    assert len(list(tables(site.db))) == 2  # the first is kept for an hour
    code, output = load(tmp_path, site.config, "8.8.8.0,8.8.8.9,US\n8.8.8.1,8.8.8.2,US", *licence)
    assert code == 1 and "Line 2: the range overlaps another." in output
    assert load(tmp_path, site.config, CSV)[0] == 2
    assert "is not used" in load(tmp_path, site.config, "1.1.1.1," + "x" * 200_000, *licence)[1]
    refresh(site.db, live)
    assert country_of(live.current, "8.8.8.8") == "CN"
    assert country_of(changed(live.current, {"countries": "no"}), "8.8.8.8") == ""
    words = [one.message for one in findings(Site(site.db, live.current))]
    assert any(one.startswith("countries: a table of 2026-01-02, ") for one in words)
    assert load(tmp_path, site.config, None) == (0, "The table of the package is in use.\n")
    refresh(site.db, live)
    assert not live.current.country_table.id and country_of(live.current, "8.8.8.8") == "US"


def tables(db: Db) -> list[str]:
    """Return the names of the stored tables."""
    return [name for names in db.scan(keys.country_table("*"), 16_384) for name in names]


def test_a_reader_of_a_table_that_is_gone_knows_no_country(site: Site) -> None:
    from datetime import date

    live = LiveSettings(site.config)
    use_table(site.db, parse_table(CSV.splitlines()), "Ours", date(2026, 1, 2))
    [name] = tables(site.db)
    site.db.run(("DEL", name))
    refresh(site.db, live)
    assert country_of(live.current, "8.8.8.8") == ""
    use_no_table(site.db)
    refresh(site.db, live)
    assert country_of(live.current, "8.8.8.8") == "US"

"""`linnet doctor --verify`: check all keys by the rules, and mend what is wrong (`--repair`)."""

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import click

from webapp.admin.command_options import open_site
from webapp.core.events.status import backlog
from webapp.core.store import Site

from . import lists, single_keys
from .rule import Check, Entry, Fault, ask_each, pages_of

RULES = (*single_keys.RULES, *lists.RULES)
SLOTS = 1_000  # hint to SCAN: slots of the table that one answer covers
STORE_SHARE = 0.05  # of the time that the walk may take of the store
FOUND_MAX = 10_000  # after which the walk ends
AT_ONCE = 200  # entries that are checked again in a few trips
SETTLE_SECONDS = 10.0  # that events which wait may take
POLL_SECONDS = 0.2
SHOWN_MAX = 50


class Found(NamedTuple):
    """A fault, and the check that found it."""

    check: Check
    fault: Fault


def check_all(site: Site, share: float = STORE_SHARE) -> Iterator[tuple[int, list[Found]]]:
    """Check every key. Yield how many more keys were looked at, and what was found.

    It rests in proportion to the processor time that each part took here, which is more than the
    store's. So the store is busy with it for less than `share` of the time. What a member does
    meanwhile may be found: see `still_wrong`. Two to four trips a part.
    """
    parts = _check_all(site)
    while True:
        started = time.thread_time()
        if (part := next(parts, None)) is None:
            return
        seconds = time.thread_time() - started
        yield part
        time.sleep(seconds * (1 / share - 1))


def still_wrong(site: Site, found: Sequence[Found]) -> list[Found]:
    """Wait until the events that wait now are applied, and return the faults that remain."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while found and time.monotonic() < deadline:
        waiting = site.db.read(backlog())
        if not waiting.unread and not waiting.pending:
            break
        time.sleep(POLL_SECONDS)
    entries: dict[Check, dict[Entry, None]] = {}
    for check, fault in found:
        entries.setdefault(check, {})[fault.entry] = None  # SCAN repeats some
    return [
        one
        for check, each in entries.items()
        for start in range(0, len(each), AT_ONCE)
        for one in _check_again(site, check, list(each)[start : start + AT_ONCE])
    ]


def mend(site: Site, found: Sequence[Found]) -> list[Found]:
    """Send the commands that mend the faults. Return those that remain."""
    commands = [[one.fault.mend] for one in found if one.fault.mend]
    for start in range(0, len(commands), AT_ONCE):
        site.db.trip_apart(commands[start : start + AT_ONCE])
    return still_wrong(site, found)


def _check_again(site: Site, check: Check, entries: Sequence[Entry]) -> list[Found]:
    """Check entries again, but for those that are gone from their lists."""
    commands = [("ZSCORE", one.name, one.member) if one.member else None for one in entries]
    scores = ask_each(site.db, commands)
    left = [
        one
        for one, score in zip(entries, scores, strict=True)
        if score is not None or not one.member
    ]
    return [Found(check, fault) for fault in check(site, left)]


def _check_all(site: Site) -> Iterator[tuple[int, list[Found]]]:
    left = FOUND_MAX
    for names in site.db.scan("*", SLOTS):
        yield len(names), []
        checks = ((rule.check, rule.pages(site.db, names)) for rule in RULES)
        for check, pages in ((single_keys.past_bounds, pages_of(names)), *checks):
            for entries in pages:
                found = [Found(check, fault) for fault in check(site, entries)]
                left -= len(found)
                yield 0, found
        if left <= 0:
            return


def verify(options: dict[str, Any], repair: bool) -> int:
    """Check all that the store holds, and mend it if `repair`. Return the exit code.

    Raises StoreError, Unavailable.
    """
    with open_site(options) as site:
        found: list[Found] = []
        keys = sum(site.db.on_every_primary("DBSIZE"))
        with click.progressbar(length=keys, label="Checking") as bar:
            for count, faults in check_all(site):
                bar.update(count)
                found += faults
        wrong, is_part = still_wrong(site, found), len(found) >= FOUND_MAX
        for one in wrong[:SHOWN_MAX]:
            click.echo(f"FAIL  {one.fault.text}")
        if len(wrong) > SHOWN_MAX:
            click.echo(f"      and {len(wrong) - SHOWN_MAX:,} more")
        if is_part:
            click.echo(
                "FAIL  So much was found that not all was checked. Check again once it is mended."
            )
        elif not wrong:
            click.echo(f"ok    {keys:,} keys agree with each other")
        if wrong and repair:
            left = mend(site, wrong)
            click.echo(f"Mended {len(wrong) - len(left):,} of {len(wrong):,}.")
            wrong = left
        elif wrong:
            click.echo("      Mend it with: linnet doctor --verify --repair")
    return 1 if wrong or is_part else 0

"""`linnet doctor --keys`: walk over all keys and print the report."""

from __future__ import annotations

import json
from itertools import chain

import click

from webapp.config import Config
from webapp.core.store.connection import connect

from .hot_keys import hot_text, read_hot_keys
from .report_text import as_json, as_text, problems
from .walk import KeyReport, walk


def print_report(config: Config, noun: str, top: int, pause: float, in_json: bool) -> int:
    """Print what the store holds. Returns the exit code: 1 if a key is not as declared.

    Ctrl-C ends the walk; what was found by then is printed. Raises StoreError, Unavailable.
    """
    db = connect(config)
    report = KeyReport()
    try:
        for number, report in enumerate(walk(db, config, noun, pause)):
            if not number % 20:
                count = sum(kind.count for kind in report.kinds.values())
                click.echo(f"\r{count:,} keys …", nl=False, err=True)
    except KeyboardInterrupt:
        click.echo("\nInterrupted: this is a part.", err=True)
    click.echo("", err=True)
    hot = read_hot_keys(db)
    if in_json:
        content = {
            **as_json(report),
            "commands_a_second": {key: hot.rate(count) for key, count in hot.samples.items()},
        }
        lines = iter([json.dumps(content, indent=2)])
    else:
        lines = chain(as_text(report, top), [""], hot_text(hot))
    for line in lines:
        click.echo(line)
    db.close()
    return 1 if any(problems(report)) else 0

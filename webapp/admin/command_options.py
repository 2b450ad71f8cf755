"""Options that commands share, and the store that they work on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

from webapp.config import load
from webapp.core.settings.live import LiveSettings
from webapp.core.settings.store import refresh
from webapp.core.store import Site
from webapp.core.store.connection import connect

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C", bound=Callable[..., Any])
data_dir_option = click.option(
    "--data-dir", type=click.Path(file_okay=False), help="Folder of the data. [DATA_DIR, var]"
)


def number_option(
    name: str, default: int, help: str, least: int, most: int | None = None
) -> Callable[[C], C]:
    """Return an option for a number from `least` to `most`."""
    numbers = click.IntRange(least, most)
    return click.option(name, type=numbers, default=default, show_default=True, help=help)


def on_site(command: Callable[Concatenate[Site, P], T]) -> Callable[..., T]:
    """Give a command the option --data-dir, and as its first argument the site that is there."""

    @data_dir_option
    @wraps(command)
    def run(data_dir: str | None, *args: P.args, **kwargs: P.kwargs) -> T:
        with open_site({"data_dir": data_dir}) as site:
            return command(site, *args, **kwargs)

    return run


@contextmanager
def open_site(options: dict[str, Any]) -> Iterator[Site]:
    """Open the store and read the settings for one command."""
    live = LiveSettings(load(options))
    with closing(connect(live.base)) as db:
        refresh(db, live)
        yield Site(db, live.current)


def format_time(moment: datetime) -> str:
    """Return a time in UTC, to the minute."""
    return moment.strftime("%Y-%m-%d %H:%M UTC")

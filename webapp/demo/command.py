"""`linnet demo`: fill the store, with a progress bar."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.pagecache import invalidation
from webapp.server import ports
from webapp.server.local_store import ensure_store

from .community import Plan
from .fill import FeaturedMember, fill, now_ms


def demo(config: Config, add: bool, seed: str, **sizes: int) -> None:
    """Fill the configured store, and print whom to sign in as.

    An embedded store that does not run is started until this process ends. Raises StoreError.
    """
    started = time.monotonic()
    config = ensure_store(config)
    db = connect(config)
    featured = fill(
        db,
        config,
        Plan(seed, now_ms(), **sizes),
        add,
        _progress_bar if sys.stdout.isatty() else _progress_line,
    )
    invalidation.clear(db)  # no event tells of what was filled in
    db.close()
    click.echo(
        f"Done in {time.monotonic() - started:.0f} s:"
        f" {sizes['members']} members, {sizes['statuses']} statuses."
    )
    _announce(config, featured)


def _announce(config: Config, featured: FeaturedMember) -> None:
    site = config.site_url.rstrip("/") or ports.url(config.host, config.port)
    click.echo(f"Sign in at {site}/login (when the site runs: make run) as {featured.name}:")
    click.echo(f"  login     {featured.login}")
    click.echo(f"  password  {featured.password}")


@contextmanager
def _progress_bar(name: str, items: Sequence[Any]) -> Iterator[Iterator[Any]]:
    with click.progressbar(items, label=f"{name:<9}") as bar:
        yield iter(bar)


@contextmanager
def _progress_line(name: str, items: Sequence[Any]) -> Iterator[Iterator[Any]]:
    click.echo(f"{name} …")
    yield iter(items)

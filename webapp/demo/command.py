"""`linnet demo`: fill the store, with a progress bar."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from webapp.config import Config
from webapp.core.errors import LeaseLost, Refused, StoreError
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.pagecache import invalidation
from webapp.server.data_dir import site_url
from webapp.server.local_store import ensure_store

from .acts.act import Progress
from .community import Plan
from .fill import FeaturedMember, Filled, fill
from .walk.walk import Walk, run_walk
from .walk.walk_members import MEMBERS_MIN, choose_members


def demo(config: Config, add: bool, seed: str, **sizes: int) -> None:
    """Fill the configured store. Print whom to sign in as, then where to see each feature.

    An embedded store that does not run is started until this process ends. Raises StoreError.
    """
    started = time.monotonic()
    config = ensure_store(config)
    site = Site(connect(config), config)
    progress = _progress_bar if sys.stdout.isatty() else _progress_line
    plan = Plan(seed, time.time_ns() // 1_000_000, **sizes)
    try:
        filled = fill(site, plan, add, progress)
    except (Refused, LeaseLost) as error:
        raise StoreError(f"The fill ended early: {_cause(error)}.") from None
    click.echo(
        f"Done in {time.monotonic() - started:.0f} s:"
        f" {sizes['members']} members, {sizes['statuses']} statuses."
    )
    _announce(site_url(config), filled.featured)
    try:
        _announce_walk(site_url(config), _walk(site, filled, progress))
    except (Refused, LeaseLost) as error:
        raise StoreError(f"The walk through all features ended early: {_cause(error)}.") from None
    finally:
        invalidation.clear(site.db)  # pages are dropped by the clock, which was turned back
        site.db.close()


def _walk(site: Site, filled: Filled, progress: Progress) -> Walk:
    """Run the walk, if the community is large enough. Raises Refused."""
    if len(filled.community.people) < MEMBERS_MIN:
        return {}
    return run_walk(site, choose_members(filled.community, filled.first_uid), progress)


def _announce(site: str, featured: FeaturedMember) -> None:
    click.echo(f"Sign in at {site}/login (when the site runs: make run) as {featured.name}:")
    click.echo(f"  login     {featured.login}")
    click.echo(f"  password  {featured.password}")
    click.echo(f"Or sign in from an app, such as toot: toot login --instance {site}")


def _announce_walk(site: str, walk: Walk) -> None:
    if not walk:
        click.echo(f"With {MEMBERS_MIN} members or more, there is a walk through all features.")
        return
    click.echo("Then take a walk through all features:")
    width = max(len(stop.path) for stops in walk.values() for stop in stops)
    for feature, stops in walk.items():
        click.echo(f"{feature}")
        for stop in stops:
            click.echo(f"  {site}{stop.path:<{width}}  {stop.summary}")


def _cause(error: Exception) -> str:
    return error.code if isinstance(error, Refused) else "a worker took over after a pause"


@contextmanager
def _progress_bar(name: str, items: Sequence[Any]) -> Iterator[Iterator[Any]]:
    with click.progressbar(items, label=f"{name:<9}") as bar:
        yield iter(bar)


@contextmanager
def _progress_line(name: str, items: Sequence[Any]) -> Iterator[Iterator[Any]]:
    click.echo(f"{name} …")
    yield iter(items)

"""A drill of a failover: what was acknowledged before it and after it must be there at its end."""

import click

from webapp.accounts.keys import last_uid
from webapp.config import BadSetting, Config
from webapp.core.errors import StoreError
from webapp.core.store import Db, keys
from webapp.core.store.connection import connect

from .servers import Address, end_primary, fresh_replica, replicas_of, take_over
from .writer import Writer, until

MEMBERS_MAX = 20  # of a test site
WRITES = 300  # acknowledged before the primary ends, and again afterwards


def drill(config: Config, members_max: int = MEMBERS_MAX) -> int:
    """End the primary while writes go on, and print what happens. Return the exit code.

    Raises BadSetting and StoreError; nothing has ended if the site is not one for a drill.
    """
    if config.embedded:
        raise BadSetting("A drill needs a primary with replicas. Name it, or Sentinels: REDIS_URL.")
    db = connect(config)
    _require_test_site(db, members_max)
    replicas = replicas_of(db)
    writer = Writer(db, config)
    try:
        stored = _fail_over(writer, db, replicas)
    finally:
        for one in {db, writer.db}:
            one.close()
    lost = writer.acknowledged - stored
    click.echo(
        f"{'FAIL' if lost else 'ok  '}  {len(lost):,} of {len(writer.acknowledged):,}"
        f" acknowledged writes are lost, with WRITE_REPLICAS={config.write_replicas}"
    )
    if lost:
        click.echo(
            "      Set WRITE_REPLICAS=1: a write is then acknowledged once a replica has it."
        )
    click.echo("      Start the server that ended as a replica of the new primary.")
    return 1 if lost else 0


def _require_test_site(db: Db, members_max: int) -> None:
    """Raise StoreError for a Cluster, and for a site with more members."""
    if not db.is_single_server:
        raise StoreError("A drill is for a primary with replicas. Of a Cluster, end a server.")
    members = int(db.run(("GET", last_uid())) or 0)
    if members > members_max:
        raise StoreError(
            f"{members:,} members have joined this site, and a drill ends its store."
            f" If it is a test site, add: --members {members}"
        )


def _fail_over(writer: Writer, db: Db, replicas: list[Address]) -> set[str]:
    """End the primary while `writer` writes, and return which writes are there at the end."""
    with fresh_replica() as fresh:
        with writer.writing():
            writer.until_more(WRITES)
            end_primary(db)
            click.echo(f"The primary ended after {len(writer.acknowledged):,} acknowledged writes.")
            writer.db, (host, port) = take_over(db, replicas)
            seconds = fresh.follow((host, port), db.primaries()[0])
            click.echo(f"{host}:{port} took over. A fresh replica followed after {seconds:.1f} s.")
            writer.until_more(WRITES)
        until(
            lambda: fresh.count() == writer.db.run(("SCARD", keys.drill_writes())),
            "the fresh replica lacks writes",
        )
        # With `min-replicas-to-write`, nothing can be removed once the fresh replica has ended.
        stored, _ = writer.db.trip(("SMEMBERS", keys.drill_writes()), ("DEL", keys.drill_writes()))
        return set(stored)

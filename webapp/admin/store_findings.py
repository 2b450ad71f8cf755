"""Check the store for `linnet doctor`: its settings, replicas, scripts and disk."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click

from webapp.config import Config
from webapp.core.store import Db
from webapp.core.store.reads import parse_info
from webapp.core.store.scripts import SCRIPTS
from webapp.core.store.servers.exchange import address_of
from webapp.core.store.servers.replicas import ReplicaState, read_replicas, states_of
from webapp.server.embedded_store import AOF_FOLDER, HASH_LISTPACKS
from webapp.server.liveness.disk_watch import (
    EARLY,
    ENOUGH,
    LOW,
    folder_megabytes,
    free_megabytes,
    is_low,
    low_since,
)

from .command_options import format_time

REPLICA_LAG_MAX = 10  # seconds, Redis's own default of min-replicas-max-lag
MEMORY_SHARE_MAX = 0.9  # of maxmemory
CHAIN_MAX = 2  # replicas of replicas; each is later than the one above


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `remedy`: the advice if it is not ok."""

    ok: bool
    message: str
    remedy: str = ""


def print_findings(findings: Iterable[Finding]) -> int:
    """Print findings, and the remedies of bad ones. Return the exit code: 1 if one is bad."""
    is_ok = True
    for finding in findings:
        click.echo(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.message}")
        if not finding.ok:
            click.echo(f"      {finding.remedy}")
        is_ok = is_ok and finding.ok
    return 0 if is_ok else 1


def server_findings(db: Db, config: Config) -> Iterator[Finding]:
    """Yield the findings about each primary: its settings and its replicas."""
    infos = [parse_info(text) for text in db.on_every_primary("INFO")]
    names = ("appendfsync", "min-replicas-to-write")
    settings = [map(_config_value, db.on_every_primary("CONFIG", "GET", name)) for name in names]
    yield _encodings_finding(db)
    for pool, info, fsync, minimum in zip(db.primaries(), infos, *settings, strict=True):
        is_full = config.embedded and minimum != "0"  # so that `linnet run` lets it refuse writes
        yield from _settings_findings(info, fsync, address_of(pool), is_full)
        if not is_full:
            yield _replication_finding(info, minimum, config.write_replicas)
        if config.write_replicas_disk:
            yield _wait_finding(info)
    for pool in db.primaries():
        for replica in read_replicas(pool):
            yield _replica_finding(replica, config.write_replicas_disk)


def disk_findings(config: Config) -> Iterator[Finding]:
    """Yield how much room the embedded store has, and pictures that are elsewhere."""
    if config.embedded:
        yield _disk_finding(config)
    if config.media_dir and config.media_path.exists():
        yield _pictures_finding(config)


def scripts_finding(db: Db) -> Finding:
    """Return how many scripts the store has not loaded yet."""
    loaded = db.on_every_primary("SCRIPT", "EXISTS", *(script.sha for script in SCRIPTS))
    missing = sum(list(one).count(0) for one in loaded)
    return Finding(
        True,
        f"scripts: {len(SCRIPTS)}, {missing} of them not loaded yet",
        "Nothing to do. Scripts are loaded on first use.",
    )


def _config_value(reply: Any) -> str:
    """Return the value in a reply to CONFIG GET. Managed stores refuse the command."""
    return str(reply[1]) if isinstance(reply, list) and len(reply) == 2 else "unknown"


def _settings_findings(
    info: dict[str, str], fsync: str, address: str, is_full: bool
) -> Iterator[Finding]:
    name = "Valkey" if "valkey_version" in info else "Redis"
    version = info.get("valkey_version", info["redis_version"])
    yield Finding(
        info["role"] == "master",
        f"store: {name} {version} at {address}, {info['role']}, up {info['uptime_in_seconds']} s",
        "Point REDIS_URL at the primary or its Sentinels. A replica accepts no writes.",
    )
    policy = info["maxmemory_policy"]
    yield Finding(
        policy == "noeviction",
        f"memory: {info['used_memory_human']} used, policy {policy}",
        "Run CONFIG SET maxmemory-policy noeviction. Other policies may drop statuses and"
        " sessions.",
    )
    used, maximum = int(info["used_memory"]), int(info["maxmemory"])
    yield Finding(
        not maximum or used < maximum * MEMORY_SHARE_MAX,
        f"maxmemory: {used / maximum:.0%} of {info['maxmemory_human']} used"
        if maximum
        else "maxmemory: no limit",
        "Run CONFIG SET maxmemory with more bytes, on a larger machine if need be. At the limit,"
        " pages can be read, but nothing is saved.",
    )
    aof_enabled, is_synced = info["aof_enabled"] == "1", fsync in ("always", "unknown") or is_full
    write, snapshot = info.get("aof_last_write_status", "unknown"), info["rdb_last_bgsave_status"]
    yield Finding(
        aof_enabled and is_synced and write == snapshot == "ok",
        f"persistence: append-only file {'on' if aof_enabled else 'off'},"
        f" {int(info.get('aof_current_size', 0)) / 1e6:,.0f} MB, synced {fsync},"
        f" last write {write}, last snapshot {snapshot}",
        "Run CONFIG SET appendonly yes and CONFIG SET appendfsync always, and check the disk."
        " Unwritten data can be lost.",
    )


def _encodings_finding(db: Db) -> Finding:
    """Return whether small hashes are stored as listpacks on every primary. Two trips."""
    wrong = []
    for name, wanted in HASH_LISTPACKS.items():
        values = [_config_value(reply) for reply in db.on_every_primary("CONFIG", "GET", name)]
        if any(value not in (wanted, "unknown") for value in values):
            wrong.append(f"{name} {wanted}")
    return Finding(
        not wrong,
        "small hashes: " + ("stored as listpacks" if not wrong else "stored as hash tables"),
        f"Run CONFIG SET {' '.join(wrong)}. A status then takes a quarter less memory.",
    )


def _replication_finding(info: dict[str, str], minimum: str, write_replicas: int) -> Finding:
    """Return whether a failover could lose writes that were acknowledged."""
    states = states_of(info)
    count, lag = len(states), max((int(state["lag"]) for state in states), default=0)
    needed = max(write_replicas, int(minimum) if minimum.isdigit() else 0)
    if not count and not needed:
        return Finding(
            info.get("cluster_enabled") != "1",
            "replication: no replicas",
            "Give each primary of the Cluster a replica. Without one, each that ends takes its"
            " members with it.",
        )
    is_set_up = write_replicas > 0 and minimum not in ("0", "unknown")
    return Finding(
        is_set_up and needed <= count and lag <= REPLICA_LAG_MAX,
        f"replication: {count} replica(s), the slowest {lag} s behind; WRITE_REPLICAS"
        f" {write_replicas}, min-replicas-to-write {minimum}",
        "Start its replicas again, or lower both numbers. Until then it takes no writes: forms that"
        " need it get 503."
        if is_set_up or needed > count
        else "Set WRITE_REPLICAS=1 and run CONFIG SET min-replicas-to-write 1. Otherwise a failover"
        " can lose acknowledged writes. With fewer replicas, writes are refused.",
    )


def _wait_finding(info: dict[str, str]) -> Finding:
    """Return whether the store can wait for the disks of replicas."""
    version = info.get("valkey_version", info["redis_version"])
    return Finding(
        tuple(map(int, version.split(".")[:2])) >= (7, 2),
        f"WRITE_REPLICAS_DISK: on, with version {version}",
        "Take Valkey, or Redis 7.2 or newer. Others have no WAITAOF, and all writes answer 503.",
    )


def _replica_finding(replica: ReplicaState, must_sync: bool) -> Finding:
    """Return whether a replica is connected, and keeps what it gets."""
    info = replica.info
    if not info:
        return Finding(
            False,
            f"replica {replica.address}: it does not answer",
            "Start it, or open its port to this machine. The same user and password must do there.",
        )
    saved_at = datetime.fromtimestamp(info["rdb_last_save_time"], UTC)
    link, has_file = info.get("master_link_status", "none"), info["aof_enabled"] == 1
    is_synced = replica.fsync in ("always", "unknown") or not must_sync
    return Finding(
        link == "up" and has_file and is_synced and replica.depth <= CHAIN_MAX,
        f"replica {replica.address}: link {link}, append-only file {'on' if has_file else 'off'},"
        f" synced {replica.fsync}, last snapshot {saved_at:%Y-%m-%d %H:%M} UTC, depth"
        f" {replica.depth}",
        "Run CONFIG SET appendonly yes on it, since it may become the primary, and with"
        " WRITE_REPLICAS_DISK also CONFIG SET appendfsync always. If the link is down, read its"
        f" log. Let it follow the primary, or one that does: at most {CHAIN_MAX} deep.",
    )


def _disk_finding(config: Config) -> Finding:
    free, since = free_megabytes(config.data_dir), low_since(config.data_dir)
    store, _ = folder_megabytes(config.data_dir / AOF_FOLDER)
    media, has_more = folder_megabytes(config.media_path)
    low = is_low(config.data_dir)
    return Finding(
        not low,
        f"disk: {free:,.0f} MB free for {config.data_dir}; the store has {store:,.0f} MB, pictures"
        f" {'more than ' if has_more else ''}{media:,.0f} MB"
        + (f"; low since {format_time(since)}" if low and since else ""),
        "Make room, or move the data to a larger disk. The store writes its files anew beside the"
        f" old ones. Below {LOW} MB, nothing is saved until {ENOUGH} MB are free.",
    )


def _pictures_finding(config: Config) -> Finding:
    """Return whether a folder of pictures with a place of its own has room."""
    size, has_more = folder_megabytes(config.media_path)
    free = free_megabytes(config.media_path)
    return Finding(
        free >= EARLY,
        f"pictures: {'more than ' if has_more else ''}{size:,.0f} MB, {free:,.0f} MB free for"
        f" {config.media_path}",
        "Make room, or move MEDIA_DIR to a larger disk. PICTURE_MEGABYTES_MAX at /admin/settings"
        " says how much each member may have. Pictures for which there is no room are refused.",
    )

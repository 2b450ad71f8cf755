"""Opening the store: what it is, whether it will do, and whether the data in it is ours."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from redis import Redis, Sentinel
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.connection import ConnectionPool
from redis.exceptions import RedisClusterException, RedisError
from redis.retry import Retry

from webapp.config import Config
from webapp.errors import StoreError, Unavailable

from . import keys
from .client import Db

SCHEMA_VERSION = 2  # of the key schema
MIN_MAJOR_VERSION = 7  # major version of Redis or Valkey
SENTINEL_NAME = "linnet"  # the primary's name at a Sentinel, unless the URL's path gives one
SENTINEL_PORT = 26379
REMEDY = "Check REDIS_URL, and that the store runs."
CLIENT_OPTIONS: dict[str, Any] = {
    "decode_responses": True,
    "protocol": 2,  # replies to scripts and commands look alike
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "retry": Retry(NoBackoff(), 1),  # a page must say soon that the store is down
}


def connect(config: Config) -> Db:
    """The store of the configuration, checked. Raises StoreError with a sentence that says what is wrong."""
    try:
        db = _open_store(config.store_url)
        _check_version(db)
        _check_schema(db)
    except (RedisError, RedisClusterException, Unavailable, OSError, ValueError) as error:
        cause = _redact_passwords(str(error.__cause__ or error).rstrip("."))
        remedy = (
            f"Start it with: linnet run --data-dir {config.data_dir}" if config.embedded else REMEDY
        )
        raise StoreError(
            f"The store at {_redact_passwords(config.store_url)} cannot be used: {cause}. {remedy}"
        ) from None
    return db


def _open_store(url: str) -> Db:
    """What stands at `url`. A path that is a name, not a number, is the name of a primary to ask Sentinels for."""
    parts = urlsplit(url)
    name = unquote(parts.path.strip("/"))
    if parts.scheme != "unix" and name and not name.isdigit():
        return Db(_sentinel(parts).master_for(name, **_credentials(parts)).connection_pool)
    client = Redis.from_url(url, **CLIENT_OPTIONS)
    info: dict[str, Any] = client.info("server")
    mode = info.get("server_mode") or info.get("redis_mode", "standalone")  # Valkey, Redis
    if mode == "cluster":
        client.close()
        cluster = RedisCluster.from_url(url, **CLIENT_OPTIONS)
        return Db(cluster.get_primaries()[0].redis_connection.connection_pool, cluster)
    if mode == "sentinel":
        client.close()
        return Db(_sentinel(parts).master_for(SENTINEL_NAME, **_credentials(parts)).connection_pool)
    pool: ConnectionPool = client.connection_pool
    return Db(pool)


def _sentinel(parts: SplitResult) -> Sentinel:
    """The Sentinels of `redis://user:password@one:26379,two:26379/name?db=0&sentinel_password=…`: user and password
    are the primary's; the Sentinels' own stand in the query.
    """
    hosts = []
    for host_port in parts.netloc.rpartition("@")[2].split(","):
        host, _, port = host_port.partition(":")
        hosts.append((host, int(port or SENTINEL_PORT)))
    query = dict(parse_qsl(parts.query))
    sentinel_auth = {
        key: query[f"sentinel_{key}"]
        for key in ("username", "password")
        if f"sentinel_{key}" in query
    }
    tls_options = {"ssl": True} if parts.scheme == "rediss" else {}
    return Sentinel(
        hosts,
        sentinel_kwargs={**CLIENT_OPTIONS, **tls_options, **sentinel_auth},
        **CLIENT_OPTIONS,
        **tls_options,
    )


def _credentials(parts: SplitResult) -> dict[str, Any]:
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    db = int(dict(parse_qsl(parts.query)).get("db", 0))
    return {"username": unquote(user) or None, "password": unquote(password) or None, "db": db}


def _check_version(db: Db) -> None:
    for text in db.on_every_primary("INFO", "server"):
        info = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        name = "Valkey" if "valkey_version" in info else "Redis"
        version = info.get("valkey_version") or info["redis_version"]
        if int(version.split(".")[0]) < MIN_MAJOR_VERSION:
            raise StoreError(
                f"The store is {name} {version}; Linnet needs Redis 7 or Valkey 7.2, or newer."
            )


def _check_schema(db: Db) -> None:
    """Marks an empty store as ours; refuses one that holds other data, or data of a newer Linnet."""
    expected = f"linnet:{SCHEMA_VERSION}"
    stored = db.run(("GET", keys.schema_version()))
    if stored is None and not any(db.on_every_primary("DBSIZE")):
        db.run(("SET", keys.schema_version(), expected, "NX"))
    stored = stored or db.run(("GET", keys.schema_version()))
    if stored is None or not stored.startswith("linnet:"):
        raise StoreError(
            "The store holds data that is not Linnet's. Give Linnet a store of its own (REDIS_URL)."
        )
    if stored != expected:
        raise StoreError(
            f"The store holds data of another version ({stored}); this Linnet reads {expected}. "
            "Run the Linnet that fits, or give this one a store of its own."
        )


def _redact_passwords(text: str) -> str:
    """A URL, or a sentence with one in it, without passwords."""
    return re.sub(r"(?<=password=)[^&\s]+|(?<=:)[^:@/\s]+(?=@)", "…", text)

"""Opening the store: what it is, whether it will do, and whether the data in it is ours."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from redis import Redis, Sentinel
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.connection import ConnectionPool
from redis.exceptions import RedisError
from redis.retry import Retry

from . import keys
from .config import Config
from .db import Db
from .errors import StoreError, Unavailable

VERSION = 1  # of the key schema
OLDEST = 7  # major version of Redis or Valkey
SENTINEL_NAME = "linnet"  # the primary's name at a Sentinel, unless the URL's path gives one
OPTIONS: dict[str, Any] = {
    "decode_responses": True,
    "protocol": 2,  # replies to scripts and commands look alike
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "retry": Retry(NoBackoff(), 1),  # a page must say soon that the store is down
}


def connect(config: Config) -> Db:
    """The store of the configuration, checked. Raises StoreError with a sentence that says what is wrong."""
    url = config.store_url
    try:
        db = _open(url)
        _check_version(db)
        _check_schema(db)
    except (RedisError, Unavailable, OSError, ValueError) as error:
        cause = str(error.__cause__ or error).rstrip(".")
        remedy = "Start it with: linnet run." if config.embedded else "Check REDIS_URL, and that the store runs."
        raise StoreError(f"The store at {_shown(url)} cannot be used: {cause}. {remedy}") from None
    return db


def _open(url: str) -> Db:
    client = Redis.from_url(url, **OPTIONS)
    info: dict[str, Any] = client.info("server")
    mode = info.get("server_mode") or info.get("redis_mode", "standalone")  # Valkey, Redis
    if mode == "cluster":
        client.close()
        cluster = RedisCluster.from_url(url, **OPTIONS)
        return Db(cluster.get_primaries()[0].redis_connection.connection_pool, cluster)
    if mode == "sentinel":
        parts = urlsplit(url)
        sentinel = Sentinel([(parts.hostname or "localhost", parts.port or 26379)], sentinel_kwargs=OPTIONS, **OPTIONS)
        client.close()
        return Db(sentinel.master_for(parts.path.strip("/") or SENTINEL_NAME).connection_pool)
    pool: ConnectionPool = client.connection_pool
    return Db(pool)


def _check_version(db: Db) -> None:
    for text in db.everywhere("INFO", "server"):
        info = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        name = "Valkey" if "valkey_version" in info else "Redis"
        version = info.get("valkey_version") or info["redis_version"]
        if int(version.split(".")[0]) < OLDEST:
            raise StoreError(f"The store is {name} {version}; Linnet needs Redis 7 or Valkey 7.2, or newer.")


def _check_schema(db: Db) -> None:
    """Marks an empty store as ours; refuses one that holds other data, or data of a newer Linnet."""
    ours = f"linnet:{VERSION}"
    found = db.run(("GET", keys.schema()))
    if found is None and not any(db.everywhere("DBSIZE")):
        db.run(("SET", keys.schema(), ours, "NX"))
    found = found or db.run(("GET", keys.schema()))
    if found is None:
        raise StoreError("The store holds data that is not Linnet's. Give Linnet a store of its own (REDIS_URL).")
    if found != ours:
        raise StoreError(f"The store holds data of another version ({found}); this Linnet reads {ours}. Update Linnet.")


def _shown(url: str) -> str:
    """The URL without its password."""
    parts = urlsplit(url)
    return url.replace(f":{parts.password}@", ":…@") if parts.password else url

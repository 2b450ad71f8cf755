"""Connecting to the store: its kind, its suitability, and whose data it holds."""

import re
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from redis import Redis, Sentinel
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.connection import parse_url
from redis.exceptions import RedisClusterException, RedisError
from redis.retry import Retry

from webapp.config import Config
from webapp.core.errors import StoreError, Unavailable
from webapp.core.store.servers.replicas import PlainPool

from . import keys
from .client import Db
from .reads import parse_info
from .replies import STORE_DOWN_ERRORS
from .servers.circuit_breaker import is_timeout
from .servers.routing import Cluster, SingleServer

SCHEMA_VERSION = 2  # of the key schema
DATA_VERSION = f"linnet:{SCHEMA_VERSION}"  # as stored
REVISION = 3  # of the data; upgrades bring older data to it while the site runs
PROGRAM_VERSION = f"{version('linnet')}+{REVISION}"  # programs of one version write the same data
MIN_MAJOR_VERSION = 7  # of Redis or Valkey
SENTINEL_NAME = "linnet"  # the primary's name at a Sentinel, unless the URL's path gives one
SENTINEL_PORT = 26379
SCHEMES = ("redis", "rediss", "unix")
CLIENT_OPTIONS: dict[str, Any] = {
    "decode_responses": True,
    "protocol": 2,  # replies to scripts and commands look alike
    "driver_info": None,  # redis-py would read its own metadata from disk for each connection
    "retry": Retry(NoBackoff(), 0),  # a page must soon say that the store is down
}
HANGING_REMEDY = (
    "It does not answer. Look for a full disk, too little memory, a stopped process or slow"
    " commands."
)
# Of redis-py: TypeError for a parameter of an address that it does not know
OPEN_ERRORS = (RedisError, OSError, ValueError, TypeError)
PATIENT_SECONDS = 10.0  # that a command may take where no page waits for it


def connect(config: Config, timeout: float = PATIENT_SECONDS) -> Db:
    """Connect to the configured store and check it. Raises StoreError with a remedy.

    `timeout`: how many seconds a command waits for its reply.
    """
    db = None
    try:
        db = open_store(config.store_url, timeout)
        _check_version(db)
        _check_schema(db)
    except (*OPEN_ERRORS, RedisClusterException, Unavailable) as error:
        reason = error.__cause__ or error
        text, _, clients = str(reason).partition(" : <")  # that Sentinels were asked with
        if kind := clients.rpartition(" - ")[2]:  # of their error, such as auth:AuthenticationError
            text += f" ({kind})"
        cause = _redact_passwords(text.rstrip("."))
        url = _redact_passwords(config.store_url)
        is_cluster = db is not None and not db.is_single_server
        remedy = HANGING_REMEDY if is_timeout(reason) else _remedy(config, is_cluster)
        raise StoreError(f"The store at {url} cannot be used: {cause}. {remedy}") from None
    return db


def open_store(url: str, timeout: float = PATIENT_SECONDS) -> Db:
    """Connect to the store at `url`, whatever it is, unchecked.

    Raises OPEN_ERRORS, such as ValueError for an address of another kind.

    A URL's path that is a name, not a number, is the name of a primary to ask Sentinels for. Of
    several servers of a Cluster the first that answers names the others.
    """
    options = {**CLIENT_OPTIONS, "socket_timeout": timeout, "socket_connect_timeout": timeout}
    parts = urlsplit(url)
    if parts.scheme == "rediss" and not parts.password:
        # Its reply, or that to a password, comes after the tickets of TLS. Until these are read,
        # redis-py takes a new connection for one with a reply left, and refuses it.
        options["client_name"] = "linnet"
    name = unquote(parts.path.strip("/"))
    if parts.scheme not in SCHEMES:
        raise ValueError(f"it must begin with {', '.join(f'{one}://' for one in SCHEMES)}")
    if parts.scheme != "unix" and name and not name.isdigit():
        return _sentinel_primary(parts, name, options)
    user, at, addresses = parts.netloc.rpartition("@")
    address, _, others = addresses.partition(",")
    if others:
        with suppress(*STORE_DOWN_ERRORS):
            return open_store(parts._replace(netloc=user + at + address).geturl(), timeout)
        return open_store(parts._replace(netloc=user + at + others).geturl(), timeout)
    client = Redis(connection_pool=PlainPool.from_url(url, **options))
    info: dict[str, Any] = client.info("server")
    mode = info.get("server_mode") or info.get("redis_mode", "standalone")  # Valkey, Redis
    if mode == "standalone":
        return Db(SingleServer(client.connection_pool))
    client.close()
    if mode == "sentinel":
        return _sentinel_primary(parts, SENTINEL_NAME, options)
    return Db(Cluster(RedisCluster.from_url(url, connection_pool_class=PlainPool, **options)))


def _sentinel_primary(parts: SplitResult, name: str, options: Mapping[str, Any]) -> Db:
    """Ask Sentinels for a primary.

    The URL is `redis://user:password@one:26379,two:26379/name?db=0&sentinel_password=…`. User and
    password are the primary's. Of `rediss://`, what begins with `ssl_` is for both.
    """
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    db = int(dict(parse_qsl(parts.query)).get("db", 0))
    primary = _sentinel(parts, options).master_for(
        name, username=unquote(user) or None, password=unquote(password) or None, db=db
    )
    return Db(SingleServer(primary.connection_pool))


def _sentinel(parts: SplitResult, options: Mapping[str, Any]) -> Sentinel:
    hosts = []
    for host_port in parts.netloc.rpartition("@")[2].split(","):
        host, _, port = host_port.partition(":")
        hosts.append((host, int(port or SENTINEL_PORT)))
    query = dict(parse_qsl(parts.query))
    if parts.scheme == "rediss":
        given = parse_url(parts._replace(netloc="one").geturl())
        tls = {option: given[option] for option in given if option.startswith("ssl_")}
        options = {**options, **tls, "ssl": True}
    sentinel_auth = {
        name: query[f"sentinel_{name}"]
        for name in ("username", "password")
        if f"sentinel_{name}" in query
    }
    return Sentinel(hosts, sentinel_kwargs={**options, **sentinel_auth}, **options)


def _check_version(db: Db) -> None:
    for text in db.on_every_primary("INFO", "server"):
        info = parse_info(text)
        name = "Valkey" if "valkey_version" in info else "Redis"
        version = info.get("valkey_version") or info["redis_version"]
        if int(version.split(".")[0]) < MIN_MAJOR_VERSION:
            raise StoreError(
                f"The store is {name} {version}; Linnet needs Redis 7 or Valkey 7.2, or newer."
            )


def _check_schema(db: Db) -> None:
    """Mark an empty store as Linnet's. Refuse other data, and data of another version."""
    expected = DATA_VERSION
    stored = db.run(("GET", keys.schema_version()))
    if stored is None and not any(db.on_every_primary("DBSIZE")):
        db.trip(
            ("HSETNX", keys.upgrades(), "revision", REVISION),
            ("SET", keys.schema_version(), expected, "NX"),
        )
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


def _remedy(config: Config, is_cluster: bool) -> str:
    if is_cluster:
        return "Start this server of the Cluster again, or let a replica take its place."
    if config.embedded:
        return f"Start it with: linnet run --data-dir {config.data_dir}"
    return "Check REDIS_URL, and that the store runs."


def _redact_passwords(text: str) -> str:
    """Return a URL, or a sentence with one in it, without passwords."""
    return re.sub(r"(?<=password=)[^&\s]+|(?<=:)[^:@/\s]+(?=@)", "…", text)

"""Replies of the store: their errors, and what these mean to the site."""

import logging
from collections.abc import Sequence
from typing import Any

from redis.exceptions import (
    BusyLoadingError,
    ClusterDownError,
    ConnectionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    TimeoutError,
)

from webapp.core.errors import SCRIPT_ERRORS, LeaseLost, Unavailable
from webapp.core.logs import log_at_times

from .reads import Command, OptionalCommand

STORE_DOWN_ERRORS = (
    ConnectionError,
    TimeoutError,
    BusyLoadingError,
    ClusterDownError,
    ReadOnlyError,
    RedisClusterException,
)
REFUSED_WRITES = ("MISCONF", "NOREPLICAS")  # the disk, and replicas
RETRY_AFTER = 5  # seconds that a client should wait while the store is down


def store_down() -> Unavailable:
    """Return the error for a store that does not answer."""
    return Unavailable("store_down", retry_after=RETRY_AFTER)


def not_replicated() -> Unavailable:
    """Return the error for a write that too few replicas have."""
    return Unavailable("not_replicated", retry_after=RETRY_AFTER)


def read_only(reason: Exception) -> Unavailable:
    """Return the error for a store that answers but refuses writes. Log its reason at times."""
    text, _, _ = str(reason).partition(" script: ")  # which one is no matter
    log_at_times(logging.ERROR, f"the store refuses writes: {text} (linnet doctor says why)")
    return Unavailable("read_only", retry_after=RETRY_AFTER)


def typed_error(error: Exception) -> Exception:
    """Return the site's error for a script's refusal. Return other errors as they are."""
    code = str(error).split(" ", 1)[0]
    if code == "LEASELOST":
        return LeaseLost()
    if code == "UNBLOCKED":  # its server, which it waited for, is no longer the primary
        return store_down()
    if code in REFUSED_WRITES or isinstance(error, OutOfMemoryError):
        return read_only(error)
    if code in SCRIPT_ERRORS and isinstance(error, RedisError):
        kind, name = SCRIPT_ERRORS[code]
        return kind(name, retry_after=RETRY_AFTER if kind is Unavailable else None)
    return error


def checked(commands: Sequence[Command], replies: list[Any]) -> list[Any]:
    """Return the replies to commands. Raises the first refusal among them as its typed error."""
    for position, reply in enumerate(replies):
        if isinstance(reply, Exception):
            error = typed_error(reply)
            is_optional = isinstance(commands[position], OptionalCommand)
            if not (is_optional and isinstance(error, Unavailable)):
                raise error
            replies[position] = None
    return replies


def checked_apart(commands: Sequence[Command], replies: list[Any]) -> list[Any] | Exception:
    """Return the replies to commands, or the first refusal among them as its typed error."""
    try:
        return checked(commands, replies)
    except Exception as error:
        return error

"""Rate limits: one leaky bucket for each kind of action and its doer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import g
from flask_babel import gettext as _, ngettext

from webapp.config import Config, Rate
from webapp.core.errors import RateLimited
from webapp.core.net.proxies import client_network
from webapp.core.store import Command, Db, Read, read, script
from webapp.core.store.reads import OptionalCommand

from . import keys
from .context import config, db, unwrap
from .view_options import set_options, view_options

CONSUME = script("core/web/lua/rate_limit.lua")
CONSUME_NESTED = script("core/web/lua/rate_limit_nested.lua")
Bucket = tuple[str, Rate]  # its name, and how much it takes
NestedLimit = tuple[str, Bucket, Bucket]  # subject, the narrow bucket, and the wide one behind it
P = ParamSpec("P")
R = TypeVar("R")


def rate_limited(name: str, bucket: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Count each call of a view against the signed-in member's limit `limit_<name>`.

    `bucket`, by default the name, counts apart from other views of the same limit. It takes the
    trip that loads the session (accounts/viewer.py), one of its own in an API.
    """
    if f"limit_{name}" not in Config.__dataclass_fields__:
        raise ValueError(f"Config has no limit_{name}")

    def decorate(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def limited(*args: P.args, **arguments: P.kwargs) -> R:
            wait = unwrap(g).pop("limit_wait", None)
            if wait is None:
                consume_for_viewer(name, bucket)
            elif wait:
                raise limit_error(wait)
            return view(*args, **arguments)

        set_options(limited, limit=(bucket or name, name))
        return limited

    return decorate


def view_limit(view: object) -> Bucket | None:
    """Return the limit that `rate_limited` counts calls of a view against, if any."""
    limit = view_options(view).limit
    return (limit[0], _rate(limit[1])) if limit else None


def consume_for_viewer(name: str, bucket: str = "") -> None:
    """Count one action of the signed-in member, as `rate_limited` does. One trip.

    For views that count valid forms only. Raises RateLimited.
    """
    consume(db(), (bucket or name, str(g.viewer.uid), _rate(name)))


def consume_for_requester(name: str) -> None:
    """Count one page read by the signed-in member, or by a visitor's network. One trip.

    So members who share a network share no limit. Nothing is counted where the store refuses
    writes. Raises RateLimited.
    """
    db().read(count_read(name, str(g.viewer.uid) if g.viewer else client_network(), _rate(name)))


def limit_for_viewer(name: str) -> Read[None]:
    """Count one page read by the signed-in member, in the trip of a view's other reads.

    As `consume_for_requester`. Raises RateLimited when it is parsed.
    """
    return count_read(name, str(g.viewer.uid), _rate(name))


def consume(db: Db, *limits: tuple[str, str, Rate], nested: NestedLimit | None = None) -> None:
    """Count one action against each (bucket, subject, rate), and a nested limit. One trip.

    The subject is a member's id, a network or a login. Raises RateLimited, with the longest wait,
    if any bucket is full.
    """
    commands = [
        CONSUME(bucket=keys.rate_limit(bucket, subject), burst=rate.burst, period=rate.period)
        for bucket, subject, rate in limits
    ]
    if nested:
        commands.append(_nested_command(*nested))
    wait = max(db.trip(*commands))
    if wait:
        raise limit_error(wait)


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many actions of a rate are left, and when all of them are: in unix seconds.

    `wait`: seconds until the next one, 0 unless this one was too many.
    """

    rate: Rate
    remaining: int
    full_at: float
    wait: int


def count_call(bucket: str, subject: str, rate: Rate) -> Read[Allowance]:
    """Count one action, unless it is too many, and read how many are left."""
    key = keys.rate_limit(bucket, subject)
    command = CONSUME(bucket=key, burst=rate.burst, period=rate.period)
    return Read((command, ("PTTL", key)), lambda replies: _allowance(rate, *replies))


def _allowance(rate: Rate, wait: int, left_ms: int) -> Allowance:
    used = math.ceil(max(left_ms, 0) / 1000 / rate.period * rate.burst)
    return Allowance(rate, max(rate.burst - used, 0), time.time() + max(left_ms, 0) / 1000, wait)


def limit_error(seconds: int) -> RateLimited:
    """Return the error of an action that must wait."""
    return RateLimited("too_many", _wait_message(seconds), retry_after=seconds)


def count_read(bucket: str, subject: str, rate: Rate) -> Read[None]:
    """Count one read of a page, in the trip of other reads. Raises RateLimited when it is parsed.

    Nothing is counted where the store refuses writes.
    """
    key = keys.rate_limit(bucket, subject)
    command = CONSUME(bucket=key, burst=rate.burst, period=rate.period)
    return read(OptionalCommand(command), _require_no_wait)


def _rate(name: str) -> Rate:
    rate: Rate = getattr(config(), f"limit_{name}")
    return rate


def _require_no_wait(seconds: int | None) -> None:
    if seconds:
        raise limit_error(seconds)


def _nested_command(subject: str, narrow: Bucket, wide: Bucket) -> Command:
    (narrow_name, narrow_rate), (wide_name, wide_rate) = narrow, wide
    return CONSUME_NESTED(
        narrow_name=narrow_name,
        subject=subject,
        wide_name=wide_name,
        narrow_burst=narrow_rate.burst,
        narrow_period=narrow_rate.period,
        wide_burst=wide_rate.burst,
        wide_period=wide_rate.period,
    )


def _wait_message(seconds: int) -> str:
    if seconds < 90:
        wait = ngettext("%(num)d second", "%(num)d seconds", seconds)
    else:
        wait = ngettext("%(num)d minute", "%(num)d minutes", -(-seconds // 60))
    return str(_("You’re doing that too often. Please wait %(wait)s.", wait=wait))

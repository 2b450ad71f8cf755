"""This site, filled with the community, and run as it is shipped: web processes under Granian, a
worker, Valkey.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.config import Config, socket_path
from webapp.core.events import keys as event_keys
from webapp.core.store import Command, Db, Site, first_id_at, partition_of
from webapp.core.store.connection import connect
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import extract, parse
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.timelines import keys as timeline_keys

from . import data, plan
from .processes import READY_SECONDS, free_port, keep, program, ready, store

TOKEN = {"path": "/statuses/new", "pattern": r'name="csrf_token"[^>]*value="([^"]+)"'}
SETTINGS = {
    "SECRET_KEY": "bench",
    "LOG_LEVEL": "WARNING",  # the peers do not log their requests
    "LIMIT_POST": "1000000/1",
    "LIMIT_FOLLOW": "1000000/1",
}
CHUNK = 1_000  # commands of the filling in one trip


def filled(community: data.Community, to: Path) -> dict[str, Any]:
    """Fill a store, save it, and return what a plan needs."""
    with store() as folder:
        config = Config(
            redis_url=f"unix://{socket_path(folder)}", data_dir=folder, secret_key="bench"
        )
        db = connect(config)
        facts = fill(Site(db, config), community)
        db.close()
        keep(folder, to)
    return facts


def fill(site: Site, community: data.Community) -> dict[str, Any]:
    """Write a community into an empty store, and return what a plan needs."""
    numbers = {
        status.id: first_id_at(status.at * 1000) + partition_of(status.author)
        for status in community.statuses
    }
    for commands in _chunks(_community(community, site.config, numbers)):
        site.db.trip(*commands)
    cookies = {
        uid: f"{COOKIE_NAME}={sessions.start(site, uid)}" for uid in plan.signed_in(community)
    }
    return plan.facts(community, cookies, numbers, TOKEN)


@contextmanager
def running(data_file: Path) -> Iterator[str]:
    """Run the site on a copy of its data, and yield its address."""
    with store(data_file) as folder, serving(folder) as address:
        own = _place(folder)
        with program(_linnet("worker"), **SETTINGS, **own):
            _await_worker(connect(Config(redis_url=own["REDIS_URL"])))
            yield address


@contextmanager
def idle(data_file: Path) -> Iterator[str]:
    """Run the site as `running` does, without a worker, like the references."""
    with store(data_file) as folder, serving(folder, OUTBOX_MAX="100000000") as address:
        yield address


@contextmanager
def serving(folder: Path, **more: str) -> Iterator[str]:
    """Run the web processes on a store, and yield their address."""
    port = free_port()
    with program(_linnet("serve"), **SETTINGS, **_place(folder), **more, PORT=str(port)) as web:
        yield ready(web, port)


def _place(folder: Path) -> dict[str, str]:
    return {"REDIS_URL": f"unix://{socket_path(folder)}", "DATA_DIR": str(folder)}


def _linnet(command: str) -> list[str]:
    return [sys.executable, "-m", "webapp.cli", command]


def _await_worker(db: Db) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not db.run(("ZCARD", event_keys.workers())):
        if time.monotonic() > deadline:
            raise RuntimeError("the worker did not start")
        time.sleep(0.1)
    db.close()


def _community(
    community: data.Community, config: Config, numbers: dict[int, int]
) -> Iterator[Command]:
    """Yield the commands that write it.

    They write what is left behind by signing up, following, posting and visits to all homes.
    """
    now, joined = int(time.time()), data.BEGAN * 1000
    yield ("SET", account_keys.last_uid(), len(community.everybody))
    for uid in community.everybody:
        about = ("bio", data.bio(uid), "bio_entities", pack_entities(extract(data.bio(uid))))
        yield (
            "HSET",
            account_keys.user(uid),
            "login",
            data.login(uid),
            "name",
            data.name(uid),
            "joined",
            joined,
            *about,
        )
        yield ("SET", account_keys.login(data.login(uid)), f"{uid}:{joined}")
        yield ("ZADD", account_keys.active_members(partition_of(uid)), now, uid)
    for uid, followed in community.follows.items():
        for place, other in enumerate(followed):
            followed_at = community.followed_at(place) * 1_000_000
            yield ("ZADD", following_keys.following(uid), followed_at, other)
            yield ("ZADD", following_keys.followers(other), followed_at + uid, uid)
    for status in community.statuses:
        number, parsed = numbers[status.id], parse(status.text, config.status_max)
        fields = (
            "author",
            status.author,
            "text",
            parsed.text,
            "entities",
            pack_entities(parsed.entities),
            "lang",
            "en",
        )
        yield ("HSET", status_keys.status(number), *fields)
        yield ("ZADD", status_keys.profile_statuses(status.author), number, number)
        yield ("SET", status_keys.last_status_id(partition_of(number)), number)
    yield (
        "ZADD",
        timeline_keys.public_timeline(),
        *_entries(community.statuses[-config.public_max :], numbers),
    )
    for uid, home, more in community.homes(config.home_max):
        yield (
            "ZADD",
            account_keys.home(uid),
            *_entries(home, numbers),
            *((-now * 1_000_000, "more") if more else ()),
        )


def _entries(statuses: list[data.Status], numbers: dict[int, int]) -> list[Any]:
    return [
        part
        for status in statuses
        for part in (numbers[status.id], f"{numbers[status.id]}:{status.author}")
    ]


def _chunks(commands: Iterator[Command]) -> Iterator[list[Command]]:
    waiting: list[Command] = []
    for command in commands:
        waiting.append(command)
        if len(waiting) == CHUNK:
            yield waiting
            waiting = []
    yield waiting

"""Writes a community into the store, as if its members had lived there: the same structures as the scripts of posting
and following make, with times in the past, in batches. Homes are not written: each is built at the first visit.

A fill that dies half-way leaves whole members, some of whose follows and statuses are missing, and none of whom can
sign in. `--add` goes on past it: it adds a community of other members.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, TypeVar

from .. import keys, media
from ..accounts import passwords
from ..accounts.profile import packed
from ..config import Config
from ..db import Command, Db
from ..errors import StoreError
from ..ids import EPOCH_MS, PARTITIONS, partition_of
from ..scripts import script
from ..statuses.packing import pack
from ..text import parse
from .community import Community, Follow, Plan, Post, community, members, renamed
from .people import Person, numbered
from .portraits import avatar, header

RAISE = script("demo/raise_last_id.lua")
BATCH = 400  # commands a trip
PASSWORD_BYTES = 9  # of chance in the password of the member to sign in as

T = TypeVar("T")
# Shows how far a step is: takes its name and its parts, and gives them one by one.
Progress = Callable[[str, Sequence[Any]], AbstractContextManager[Iterator[Any]]]


@dataclass(frozen=True, slots=True)
class Shown:
    """The member to sign in as."""

    login: str
    name: str
    password: str


def fill(db: Db, config: Config, wanted: Plan, add: bool, progress: Progress) -> Shown:
    """Adds a community, and gives one of its members a password. Raises StoreError when the store has members already
    and `add` is not set, Unavailable.
    """
    last = int(db.run(("GET", keys.uids())) or 0)
    if last and not add:
        raise StoreError("The store has members already. `linnet demo --add` adds a community to them.")
    # Another community than the one that may be here already.
    plan = Plan(f"{wanted.seed}+{last}", *_sizes(wanted)) if last else wanted
    who = _free(db, members(plan))
    made = community(plan, who)
    first = int(db.run(("INCRBY", keys.uids(), len(who)))) - len(who) + 1
    _claim(db, who, first, plan.now)
    _write(db, progress, "Members", [_member(first + i, person) for i, person in enumerate(who)])
    _pictures(db, config, who, first, progress)
    _write(db, progress, "Follows", list(_follows(made.follows, first)))
    entries = _statuses(db, made.posts, first, progress)
    _publish(db, config, entries)
    return _opened(db, config, made, first)


def now_ms() -> int:
    """The time, in unix milliseconds."""
    return time.time_ns() // 1_000_000


def _sizes(plan: Plan) -> tuple[int, int, int, int]:
    return plan.now, plan.members, plan.statuses, plan.days


def _free(db: Db, who: list[Person]) -> list[Person]:
    """The people, with numbers to the logins that somebody has already."""
    logins = {person.login: person.login for person in who}
    number, asked = 1, list(logins)
    while asked:
        there = db.trip(*(("EXISTS", keys.login(logins[login])) for login in asked))
        used = set(logins.values())
        number += 1
        asked = [login for login, taken in zip(asked, there, strict=True) if taken]
        for login in asked:
            while (other := numbered(login, number)) in used:
                number += 1
            logins[login] = other
            used.add(other)
    return renamed(who, logins)


def _claim(db: Db, who: Sequence[Person], first: int, now: int) -> None:
    claims = [("SET", keys.login(person.login), f"{first + i}:{now}", "NX") for i, person in enumerate(who)]
    if not all(db.trip(*claims)):
        raise StoreError("Somebody took a name of the community just now. Run `linnet demo --add`.")


def _member(uid: int, person: Person) -> Command:
    said = {"bio": person.bio, "bio_entities": packed(person.bio) if person.bio else ""}
    facts = {"login": person.login, "name": person.name, "joined": person.joined, **said}
    facts |= {"location": person.place, "website": person.website}
    return ("HSET", keys.user(uid), *(part for pair in facts.items() if pair[1] for part in pair))


def _pictures(db: Db, config: Config, who: Sequence[Person], first: int, progress: Progress) -> None:
    """Draws the pictures of those who have some, and hands them over as if they were uploaded."""
    wanted = [(i, "avatar") for i, person in enumerate(who) if person.avatar]
    wanted += [(i, "header") for i, person in enumerate(who) if person.header]
    commands: list[Command] = []
    with progress("Pictures", wanted) as steps:
        for i, kind in steps:
            data = BytesIO()
            (avatar if kind == "avatar" else header)(who[i].login, who[i].name).save(data, "PNG", compress_level=1)
            data.seek(0)
            name = media.save(config, first + i, kind, data, "image/png")
            commands.append(("HSET", keys.user(first + i), kind, name))
    db.trip(*commands)


def _follows(follows: Sequence[Follow], first: int) -> Iterator[Command]:
    """One command for each list of follows and of followers: all scores are different."""
    lists: dict[str, list[int]] = defaultdict(list)
    for follow in follows:
        follower, target = first + follow.follower, first + follow.target
        lists[keys.following(follower)] += (follow.at, target)
        lists[keys.followers(target)] += (follow.at, follower)
    for key, parts in lists.items():
        yield ("ZADD", key, *parts)


def _statuses(db: Db, posts: Sequence[Post], first: int, progress: Progress) -> list[tuple[int, int]]:
    """Writes the statuses and their authors' profiles; (id, author's uid) of each, in order of time."""
    entries = _numbered(db, posts, first)
    batches = [range(at, min(at + BATCH // 2, len(posts))) for at in range(0, len(posts), BATCH // 2)]
    with progress("Statuses", batches) as steps:
        for batch in steps:
            commands: list[Command] = []
            for at in batch:
                status_id, author = entries[at]
                parsed = parse(posts[at].text)
                fields = ("author", author, "text", parsed.text, "entities", pack(parsed.entities))
                commands.append(("HSET", keys.status(status_id), *fields))
                commands.append(("ZADD", keys.profile(author), status_id, status_id))
            db.trip(*commands)
    return entries


def _numbered(db: Db, posts: Sequence[Post], first: int) -> list[tuple[int, int]]:
    """Ids as the posting script makes them, later than the one before in the partition, and given to no status yet."""
    bases = dict.fromkeys(range(PARTITIONS), 0)
    entries = []
    for post in posts:
        author = first + post.author
        base = max((post.at - EPOCH_MS) * 64, bases[author % PARTITIONS] + 1)
        bases[author % PARTITIONS] = base
        entries.append((base * 64 + partition_of(author), author))
    there = [
        found
        for at in range(0, len(entries), BATCH)
        for found in db.trip(*(("EXISTS", keys.status(status_id)) for status_id, _ in entries[at : at + BATCH]))
    ]
    if any(there):
        # Two statuses of one partition in one millisecond: a moment later everything fits.
        return _numbered(db, [Post(post.author, post.at - 1, post.text) for post in posts], first)
    return entries


def _publish(db: Db, config: Config, entries: Sequence[tuple[int, int]]) -> None:
    newest = entries[-config.public_max :]
    parts = [part for status_id, author in newest for part in (status_id, f"{status_id}:{author}")]
    last: dict[int, int] = {partition_of(status_id): status_id for status_id, _ in entries}
    commands = [("ZADD", keys.public(), *parts)] if parts else []
    db.trip(
        *(RAISE([keys.last_id(partition)], status_id) for partition, status_id in last.items()),
        *commands,
        ("ZREMRANGEBYRANK", keys.public(), 0, -(config.public_max + 1)),
    )


def _opened(db: Db, config: Config, made: Community, first: int) -> Shown:
    shown = made.shown
    person = made.people[shown]
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    db.run(("SET", keys.password(first + shown), passwords.hash_password(password, config.password_cost)))
    return Shown(person.login, person.name, password)


def _write(db: Db, progress: Progress, name: str, commands: Sequence[Command]) -> None:
    batches = [commands[at : at + BATCH] for at in range(0, len(commands), BATCH)]
    with progress(name, batches) as steps:
        for batch in steps:
            db.trip(*batch)

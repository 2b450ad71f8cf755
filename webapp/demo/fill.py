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

from webapp.accounts import keys as account_keys
from webapp.accounts import passwords
from webapp.accounts.profile import encode_entities
from webapp.config import Config
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.core.store.ids import EPOCH_MS, PARTITIONS, partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.text.parser import parse
from webapp.errors import StoreError
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.statuses.entity_codec import pack_entities
from webapp.timelines import keys as timeline_keys

from .community import Community, Follow, Plan, Post, generate_community, plan_people, with_logins
from .people import Person, numbered_login
from .portraits import draw_avatar, draw_header

RAISE_LAST_ID = script("demo/lua/raise_last_id.lua")
BATCH = 400  # commands a trip
PASSWORD_BYTES = 9  # of chance in the password of the member to sign in as

T = TypeVar("T")
# Shows how far a step is: takes its name and its parts, and gives them one by one.
Progress = Callable[[str, Sequence[Any]], AbstractContextManager[Iterator[Any]]]


@dataclass(frozen=True, slots=True)
class FeaturedMember:
    """The member to sign in as."""

    login: str
    name: str
    password: str


def fill(
    db: Db, config: Config, requested_plan: Plan, add: bool, progress: Progress
) -> FeaturedMember:
    """Adds a community, and gives one of its members a password. Raises StoreError when the store has members already
    and `add` is not set, Unavailable.
    """
    last_uid = int(db.run(("GET", account_keys.last_uid())) or 0)
    if last_uid and not add:
        raise StoreError(
            "The store has members already. `linnet demo --add` adds a community to them."
        )
    # Another community than the one that may be here already.
    plan = (
        Plan(f"{requested_plan.seed}+{last_uid}", *_plan_sizes(requested_plan))
        if last_uid
        else requested_plan
    )
    persons = _with_free_logins(db, plan_people(plan))
    generated = generate_community(plan, persons)
    first_uid = int(db.run(("INCRBY", account_keys.last_uid(), len(persons)))) - len(persons) + 1
    _claim_logins(db, persons, first_uid, plan.now)
    _send_batches(
        db,
        progress,
        "Members",
        [_member_command(first_uid + i, person) for i, person in enumerate(persons)],
    )
    _save_pictures(db, config, persons, first_uid, progress)
    _send_batches(db, progress, "Follows", list(_follow_commands(generated.follows, first_uid)))
    entries = _write_statuses(db, generated.posts, first_uid, progress)
    _write_public_timeline(db, config, entries)
    return _give_password(db, config, generated, first_uid)


def now_ms() -> int:
    """The time, in unix milliseconds."""
    return time.time_ns() // 1_000_000


def _plan_sizes(plan: Plan) -> tuple[int, int, int, int]:
    return plan.now, plan.members, plan.statuses, plan.days


def _with_free_logins(db: Db, persons: list[Person]) -> list[Person]:
    """The people, with numbers to the logins that somebody has already."""
    logins = {person.login: person.login for person in persons}
    number, unchecked = 1, list(logins)
    while unchecked:
        replies = db.trip(*(("EXISTS", account_keys.login(logins[login])) for login in unchecked))
        used_logins = set(logins.values())
        number += 1
        unchecked = [login for login, taken in zip(unchecked, replies, strict=True) if taken]
        for login in unchecked:
            while (candidate := numbered_login(login, number)) in used_logins:
                number += 1
            logins[login] = candidate
            used_logins.add(candidate)
    return with_logins(persons, logins)


def _claim_logins(db: Db, persons: Sequence[Person], first_uid: int, now: int) -> None:
    claims = [
        ("SET", account_keys.login(person.login), f"{first_uid + i}:{now}", "NX")
        for i, person in enumerate(persons)
    ]
    if not all(db.trip(*claims)):
        raise StoreError("Somebody took a name of the community just now. Run `linnet demo --add`.")


def _member_command(uid: int, person: Person) -> Command:
    bio_fields = {
        "bio": person.bio,
        "bio_entities": encode_entities(person.bio) if person.bio else "",
    }
    fields = {"login": person.login, "name": person.name, "joined": person.joined, **bio_fields}
    fields |= {"location": person.place, "website": person.website}
    return (
        "HSET",
        account_keys.user(uid),
        *(part for pair in fields.items() if pair[1] for part in pair),
    )


def _save_pictures(
    db: Db, config: Config, persons: Sequence[Person], first_uid: int, progress: Progress
) -> None:
    """Draws the pictures of those who have some, and hands them over as if they were uploaded."""
    to_draw = [(i, "avatar") for i, person in enumerate(persons) if person.avatar]
    to_draw += [(i, "header") for i, person in enumerate(persons) if person.header]
    commands: list[Command] = []
    with progress("Pictures", to_draw) as steps:
        for i, kind in steps:
            data = BytesIO()
            (draw_avatar if kind == "avatar" else draw_header)(
                persons[i].login, persons[i].name
            ).save(data, "PNG", compress_level=1)
            data.seek(0)
            name = media.save(config, first_uid + i, kind, data, "image/png")
            commands.append(("HSET", account_keys.user(first_uid + i), kind, name))
    db.trip(*commands)


def _follow_commands(follows: Sequence[Follow], first_uid: int) -> Iterator[Command]:
    """One command for each list of follows and of followers: all scores are different."""
    lists: dict[str, list[int]] = defaultdict(list)
    for follow in follows:
        follower, target = first_uid + follow.follower, first_uid + follow.target
        lists[following_keys.following(follower)] += (follow.at_us, target)
        lists[following_keys.followers(target)] += (follow.at_us, follower)
    for key, scored_members in lists.items():
        yield ("ZADD", key, *scored_members)


def _write_statuses(
    db: Db, posts: Sequence[Post], first_uid: int, progress: Progress
) -> list[tuple[int, int]]:
    """Writes the statuses and their authors' profiles; (id, author's uid) of each, in order of time."""
    entries = _assign_ids(db, posts, first_uid)
    batches = [
        range(place, min(place + BATCH // 2, len(posts)))
        for place in range(0, len(posts), BATCH // 2)
    ]
    with progress("Statuses", batches) as steps:
        for batch in steps:
            commands: list[Command] = []
            for place in batch:
                status_id, author = entries[place]
                parsed = parse(posts[place].text)
                fields = (
                    "author",
                    author,
                    "text",
                    parsed.text,
                    "entities",
                    pack_entities(parsed.entities),
                )
                commands.append(("HSET", status_keys.status(status_id), *fields))
                commands.append(
                    ("ZADD", status_keys.profile_statuses(author), status_id, status_id)
                )
            db.trip(*commands)
    return entries


def _assign_ids(db: Db, posts: Sequence[Post], first_uid: int) -> list[tuple[int, int]]:
    """Ids as the posting script makes them, later than the one before in the partition, and given to no status yet."""
    bases = dict.fromkeys(range(PARTITIONS), 0)
    entries = []
    for post in posts:
        author = first_uid + post.author
        base = max((post.at_ms - EPOCH_MS) * 64, bases[author % PARTITIONS] + 1)
        bases[author % PARTITIONS] = base
        entries.append((base * 64 + partition_of(author), author))
    taken = [
        found
        for at in range(0, len(entries), BATCH)
        for found in db.trip(
            *(
                ("EXISTS", status_keys.status(status_id))
                for status_id, _ in entries[at : at + BATCH]
            )
        )
    ]
    if any(taken):
        # Two statuses of one partition in one millisecond: a moment later everything fits.
        return _assign_ids(
            db, [Post(post.author, post.at_ms - 1, post.text) for post in posts], first_uid
        )
    return entries


def _write_public_timeline(db: Db, config: Config, entries: Sequence[tuple[int, int]]) -> None:
    newest = entries[-config.public_max :]
    parts = [part for status_id, author in newest for part in (status_id, f"{status_id}:{author}")]
    newest_ids: dict[int, int] = {partition_of(status_id): status_id for status_id, _ in entries}
    commands = [("ZADD", timeline_keys.public_timeline(), *parts)] if parts else []
    db.trip(
        *(
            RAISE_LAST_ID([status_keys.last_status_id(partition)], status_id)
            for partition, status_id in newest_ids.items()
        ),
        *commands,
        ("ZREMRANGEBYRANK", timeline_keys.public_timeline(), 0, -(config.public_max + 1)),
    )


def _give_password(db: Db, config: Config, generated: Community, first_uid: int) -> FeaturedMember:
    featured_index = generated.featured_index
    person = generated.people[featured_index]
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    db.run(
        (
            "SET",
            account_keys.password(first_uid + featured_index),
            passwords.hash_password(password, config.password_cost),
        )
    )
    return FeaturedMember(person.login, person.name, password)


def _send_batches(db: Db, progress: Progress, name: str, commands: Sequence[Command]) -> None:
    batches = [commands[at : at + BATCH] for at in range(0, len(commands), BATCH)]
    with progress(name, batches) as steps:
        for batch in steps:
            db.trip(*batch)

"""Write a community into the store, as if its members had lived there.

It makes the same structures as the scripts that post and follow, with times in the past, in
batches. Homes are not written: each is rebuilt at the first visit.

A fill that is interrupted leaves whole members without a password, and some of their follows and
statuses. `--add` then adds another community.
"""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO

from webapp.accounts import keys as account_keys
from webapp.accounts import passwords
from webapp.accounts.profile import encode_entities
from webapp.config import Config
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.core.store.reads import Command
from webapp.errors import StoreError
from webapp.following import keys as following_keys

from .community import Community, Follow, Plan, generate_community, plan_people, with_logins
from .people import Person, numbered_login
from .portraits import draw_avatar, draw_header
from .progress import Progress, send_batches
from .statuses import write_public_timeline, write_statuses

PASSWORD_BYTES = 9  # random bytes in the password of the featured member


@dataclass(frozen=True, slots=True)
class FeaturedMember:
    """The member to sign in as."""

    login: str
    name: str
    password: str


def fill(db: Db, config: Config, plan: Plan, add: bool, progress: Progress) -> FeaturedMember:
    """Add a community, and give one of its members a password.

    Many trips. Raises StoreError if the store has members and `add` is not set; Unavailable.
    """
    last_uid = int(db.run(("GET", account_keys.last_uid())) or 0)
    if last_uid and not add:
        raise StoreError(
            "The store has members already. `linnet demo --add` adds a community to them."
        )
    if last_uid:  # another community than the one that may be there
        plan = replace(plan, seed=f"{plan.seed}+{last_uid}")
    persons = _with_free_logins(db, plan_people(plan))
    community = generate_community(plan, persons)
    first_uid = int(db.run(("INCRBY", account_keys.last_uid(), len(persons)))) - len(persons) + 1
    _claim_logins(db, persons, first_uid, plan.now)
    members = [_member_command(first_uid + i, person) for i, person in enumerate(persons)]
    send_batches(db, progress, "Members", members)
    _save_pictures(db, config, persons, first_uid, progress)
    send_batches(db, progress, "Follows", list(_follow_commands(community.follows, first_uid)))
    entries = write_statuses(db, community.posts, first_uid, progress)
    write_public_timeline(db, config, entries)
    return _give_password(db, config, community, first_uid)


def now_ms() -> int:
    """Return the time in unix ms."""
    return time.time_ns() // 1_000_000


def _with_free_logins(db: Db, persons: list[Person]) -> list[Person]:
    """Number the logins that somebody has already. One trip each time some were taken."""
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
    fields = {
        "login": person.login,
        "name": person.name,
        "joined": person.joined,
        "bio": person.bio,
        "bio_entities": encode_entities(person.bio) if person.bio else "",
        "location": person.place,
        "website": person.website,
    }
    parts = [part for name, value in fields.items() if value for part in (name, value)]
    return ("HSET", account_keys.user(uid), *parts)


def _save_pictures(
    db: Db, config: Config, persons: Sequence[Person], first_uid: int, progress: Progress
) -> None:
    """Draw avatars and headers, and store them as uploads."""
    to_draw = [(i, "avatar") for i, person in enumerate(persons) if person.avatar]
    to_draw += [(i, "header") for i, person in enumerate(persons) if person.header]
    commands: list[Command] = []
    with progress("Pictures", to_draw) as steps:
        for i, kind in steps:
            draw = draw_avatar if kind == "avatar" else draw_header
            data = BytesIO()
            draw(persons[i].login, persons[i].name).save(data, "PNG", compress_level=1)
            data.seek(0)
            name = media.save(config, first_uid + i, kind, data, "image/png")
            commands.append(("HSET", account_keys.user(first_uid + i), kind, name))
    db.trip(*commands)


def _follow_commands(follows: Sequence[Follow], first_uid: int) -> Iterator[Command]:
    """Yield a command for each list of follows or followers. All scores are different."""
    lists: dict[str, list[int]] = defaultdict(list)
    for follow in follows:
        follower, target = first_uid + follow.follower, first_uid + follow.target
        lists[following_keys.following(follower)] += (follow.at_us, target)
        lists[following_keys.followers(target)] += (follow.at_us, follower)
    for key, scored_members in lists.items():
        yield ("ZADD", key, *scored_members)


def _give_password(db: Db, config: Config, community: Community, first_uid: int) -> FeaturedMember:
    index = community.featured_index
    person = community.people[index]
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    hashed = passwords.hash_password(password, config.password_cost)
    db.run(("SET", account_keys.password(first_uid + index), hashed))
    return FeaturedMember(person.login, person.name, password)

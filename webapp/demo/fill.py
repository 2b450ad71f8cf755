"""Fill the store with a community: every act through the product, at its time in the past.

A fill that is interrupted leaves a community that stops at some day, and whose members have no
password. `--add` then adds another one.
"""

import secrets
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from webapp.accounts import keys as account_keys
from webapp.accounts.passwords import hashing
from webapp.core.errors import Conflict, NotFound, StoreError
from webapp.core.logs import log
from webapp.core.media import storage as media
from webapp.core.store import Db, Site

from .acts.act import Act, Progress, World
from .acts.applier import Applier
from .acts.clock import PastDb
from .acts.ids import earlier_ids, with_free_ids
from .community import Community, Plan, generate_community, plan_people
from .names import numbered_login
from .people import Person
from .pictures.portraits import draw_avatar, draw_header, png
from .plan.acts import plan_acts

PASSWORD_BYTES = 9  # random bytes in the password of the featured member
PICTURE_THREADS = 2  # one draws while the other's picture is decoded
BATCH = 100  # acts whose events are applied together


@dataclass(frozen=True, slots=True)
class FeaturedMember:
    """The member to sign in as."""

    login: str
    name: str
    password: str


@dataclass(frozen=True, slots=True)
class Filled:
    """A community in the store, the world that it made, and the member to sign in as."""

    community: Community
    world: World
    featured: FeaturedMember

    @property
    def first_uid(self) -> int:
        """Return the uid of the community's first member."""
        return self.world.first_uid


def fill(site: Site, plan: Plan, add: bool, progress: Progress) -> Filled:
    """Add a community, and give one of its members a password.

    Many trips. Raises StoreError if the store has members and `add` is not set.
    """
    last_uid = int(site.db.run(("GET", account_keys.last_uid())) or 0)
    if last_uid and not add:
        raise StoreError(
            "The store has members already. `make demo ARGS=--add`, or `linnet demo --add`, adds a "
            "community to them."
        )
    if last_uid:  # another community than the one that may be there
        plan = replace(plan, seed=f"{plan.seed}+{last_uid}")
    persons = _with_free_logins(site.db, plan_people(plan))
    community = generate_community(plan, persons)
    world = new_world(site, community)
    _save_pictures(world, progress)
    acts = with_free_ids(site.db, world, plan_acts(plan, community))
    with _without_sync(site), earlier_ids(site.db):
        perform(site, world, acts, progress)
    return Filled(community, world, _give_password(site.db, world, community))


def new_world(site: Site, community: Community) -> World:
    """Return the world of a community, with new uids for its members. One trip."""
    people = community.people
    last_uid = int(site.db.run(("INCRBY", account_keys.last_uid(), len(people))))
    return World(PastDb(site.db), site.config, people, last_uid - len(people) + 1)


def perform(site: Site, world: World, acts: Sequence[Act], progress: Progress) -> None:
    """Do the acts, in batches whose events are applied together.

    Acts are left out if the site's settings leave no room for them, or if their member cannot see
    the post. Raises Refused for others.
    """
    batches = [acts[start : start + BATCH] for start in range(0, len(acts), BATCH)]
    applier = Applier.over(site, world.db)
    with applier, progress("Days", batches) as steps:
        for batch in steps:
            pending: list[Act] = []
            for act in batch:
                if act.must_wait(pending):
                    applier.apply()
                    pending.clear()
                world.db.set_time(act.at_ms * 1000)
                try:
                    act.perform(world)
                except (Conflict, NotFound) as refusal:
                    log.warning("The demo leaves out %s: %s", act, refusal.code)
                pending.append(act)
            applier.apply()


@contextmanager
def _without_sync(site: Site) -> Iterator[None]:
    """Let the embedded store sync once a second. Nobody waits for one of these writes."""
    if site.config.embedded:
        site.db.on_every_primary("CONFIG", "SET", "appendfsync", "everysec")
    try:
        yield
    finally:
        if site.config.embedded:
            site.db.on_every_primary("CONFIG", "SET", "appendfsync", "always")


def _with_free_logins(db: Db, persons: list[Person]) -> list[Person]:
    """Add numbers to the logins that somebody has already. One trip each time some were taken."""
    logins = {person.login: person.login for person in persons}
    number, unchecked = 1, list(logins)
    while unchecked:
        replies = db.trip_all(("EXISTS", account_keys.login(logins[login])) for login in unchecked)
        used_logins = set(logins.values())
        number += 1
        unchecked = [login for login, taken in zip(unchecked, replies, strict=True) if taken]
        for login in unchecked:
            while (candidate := numbered_login(login, number)) in used_logins:
                number += 1
            logins[login] = candidate
            used_logins.add(candidate)
    return [replace(person, login=logins[person.login]) for person in persons]


def _save_pictures(world: World, progress: Progress) -> None:
    """Draw avatars and headers, and store them as uploads. Threads share the processors."""

    def save(picture: tuple[int, str]) -> str:
        place, kind = picture
        person = world.people[place]
        draw = draw_avatar if kind == "avatar" else draw_header
        data = png(draw(person.login, person.name))
        return media.save(world.config, world.uid(place), kind, data)

    to_draw = [(place, "avatar") for place, person in enumerate(world.people) if person.avatar]
    to_draw += [(place, "header") for place, person in enumerate(world.people) if person.header]
    with ThreadPoolExecutor(PICTURE_THREADS) as threads, progress("Pictures", to_draw) as steps:
        world.pictures.update(zip(steps, threads.map(save, to_draw), strict=True))


def _give_password(db: Db, world: World, community: Community) -> FeaturedMember:
    place = community.featured_index
    person = community.people[place]
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    hashed = hashing.hash_password(password, world.config.password_cost)
    db.run(("SET", account_keys.password(world.uid(place)), hashed))
    return FeaturedMember(person.login, person.name, password)

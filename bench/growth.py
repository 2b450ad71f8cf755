"""Check that pages and posts cost the same on large sites and for members with many follows.

Sites have 200,000 and 1,000 members; viewers follow 5,000 and 50.

Two stores, filled in the shape of the site's own scripts: everybody follows FEW others, is followed
by as many, and has written one status. The viewers have written a page of statuses besides, and
their homes are full. The app answers in this process, whole pages through sessions and forms, for
one viewer after another. Rates are by processor time, the app's and that of the store's main thread
together or the store's alone, so that whatever else runs on the machine counts for little.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import cycle
from random import Random
from time import process_time
from typing import Any

from flask.testing import FlaskClient
from redis import Redis

from webapp import create_app
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.core.store import Command, first_id_at, partition_of
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys

from .http import CSRF
from .site import OLD_MS, Site, send, site
from .table import Figure, compare

SMALL, LARGE = 1_000, 200_000  # members
FEW, MANY = 50, 5_000  # follows
FIRST = 1_000_000  # member id; the viewers come after all others
VIEWERS = 30  # of each kind
OWN = 40  # statuses of a viewer: more than a page
REQUESTS, ROUNDS = 20, 5
FLAT = 0.75  # at least: a quarter more is the most that growth may cost
TEXT = parse(
    "Larks sing while they climb, and I have never heard one stop for breath. #larks "
    "https://example.org/",
    280,
)
STATUS = ("text", TEXT.text, "entities", pack_entities(TEXT.entities))
SETTINGS = {
    "SECRET_KEY": "bench",
    "LOG_LEVEL": "WARNING",
    "LIMIT_POST": "1000000/1",
    "OUTBOX_MAX": "100000000",
}

Act = Callable[
    [FlaskClient, int], int
]  # does something as a viewer, whose member id it gets; the status of the answer


class Crowd:
    """Hold the signed-in viewers of one kind on one site."""

    def __init__(self, here: Site, viewers: Sequence[int]) -> None:
        app = create_app(
            SETTINGS | {"REDIS_URL": here.config.store_url, "DATA_DIR": str(here.config.data_dir)}
        )
        self.close = app.extensions["linnet.db"].close
        self._clients = cycle(
            [(self._signed_in(here, app.test_client(), uid), uid) for uid in viewers]
        )
        self._store = Redis(connection_pool=here.db.primaries()[0])

    def acts(self, act: Act, status: int, app: float) -> float:
        """Return pages a second of the store's time, plus this process's time if `app` is 1."""
        began = self._clock(app)
        for _ in range(REQUESTS):
            assert act(*next(self._clients)) == status
        return REQUESTS / (self._clock(app) - began)

    def _clock(self, app: float) -> float:
        used: dict[str, Any] = self._store.info("cpu")
        return app * process_time() + float(
            used["used_cpu_user_main_thread"] + used["used_cpu_sys_main_thread"]
        )

    def _signed_in(self, here: Site, client: FlaskClient, uid: int) -> FlaskClient:
        client.set_cookie(COOKIE_NAME, sessions.start(here, uid))
        page = client.get("/home").text
        assert page.count("<article") == here.config.page_size, "that is no home page"
        found = CSRF.search(page)
        assert found
        client.environ_base["bench.token"] = found[1]
        return client


def measure() -> list[Figure]:
    """Measure each page beside that of a small site, and of a member who follows few."""
    with ExitStack() as stack:
        small, large = stack.enter_context(site()), stack.enter_context(site())
        few, many = fill(large, LARGE, FEW), fill(large, LARGE, MANY, more=VIEWERS)
        crowds = [Crowd(small, fill(small, SMALL, FEW)), Crowd(large, few), Crowd(large, many)]
        for crowd in crowds:
            stack.callback(crowd.close)
        return [
            *figures(f"{LARGE:,} members instead of {SMALL:,}", crowds[1], crowds[0]),
            *figures(f"{MANY:,} follows instead of {FEW}", crowds[2], crowds[1]),
        ]


def figures(growth: str, grown: Crowd, other: Crowd) -> Iterator[Figure]:
    """Return the figure of whole pages, which has a target, and that of the store alone."""
    for name, act, status in (
        ("home", see_home, 200),
        ("post", make_post, 303),
        ("profile", see_profile, 200),
    ):
        for app, where, target in ((1.0, "", FLAT), (0.0, ", store alone", None)):
            yield compare(
                f"{name}, {growth}{where}",
                "/s",
                lambda a=act, s=status, p=app: grown.acts(a, s, p),  # type: ignore[misc]
                lambda a=act, s=status, p=app: other.acts(a, s, p),  # type: ignore[misc]
                ROUNDS,
                target,
            )


def see_home(client: FlaskClient, uid: int) -> int:
    """Request the viewer's home."""
    return client.get("/home").status_code


def see_profile(client: FlaskClient, uid: int) -> int:
    """Request the profile of the previous viewer, who is alike."""
    return client.get(f"/@m{uid - 1}").status_code


def make_post(client: FlaskClient, uid: int) -> int:
    """Post a status as the viewer."""
    form = {
        "text": TEXT.text,
        "csrf_token": client.environ_base["bench.token"],
        "key": secrets.token_urlsafe(12),
    }
    return client.post("/statuses", data=form).status_code


def fill(here: Site, count: int, follows: int, more: int = 0) -> range:
    """Make so many members, if they are not there yet, and viewers who follow so many of them.

    `more`: how many viewers there are already. Return the viewers' ids.
    """
    everybody = range(FIRST, FIRST + count)
    if not more:
        some = [
            part for step, uid in enumerate(everybody[:FEW]) for part in (OLD_MS * 1000 + step, uid)
        ]
        here.db.run(("ZADD", "template", *some))
        send(here.db, (command for uid in everybody for command in _member(uid)))
    first = everybody.stop + (more + 1 if more else 0)
    viewers = range(first + 1, first + 1 + VIEWERS)
    draw = Random(follows)
    for uid in range(first, viewers.stop):  # the first is only looked at
        followed = draw.sample(everybody, follows)
        send(
            here.db,
            (*_member(uid), *_viewer(uid, followed), *_statuses(uid), *_home(here, uid, followed)),
        )
    return viewers


def _member(uid: int) -> Iterator[Command]:
    """Create a viewer with equal numbers of follows and followers; which members is irrelevant."""
    yield ("SET", account_keys.login(f"m{uid}"), f"{uid}:{OLD_MS}")
    yield (
        "HSET",
        account_keys.user(uid),
        "login",
        f"m{uid}",
        "name",
        f"Member {uid}",
        "joined",
        OLD_MS,
    )
    yield ("ZADD", account_keys.active_members(partition_of(uid)), OLD_MS // 1000, uid)
    yield ("COPY", "template", following_keys.following(uid))
    yield ("COPY", "template", following_keys.followers(uid))
    yield ("HSET", status_keys.status(_status(uid)), "author", uid, *STATUS)
    yield ("ZADD", status_keys.profile_statuses(uid), _status(uid), _status(uid))


def _viewer(uid: int, followed: list[int]) -> Iterator[Command]:
    yield ("DEL", following_keys.following(uid))
    at = OLD_MS * 1000
    yield (
        "ZADD",
        following_keys.following(uid),
        *(part for step, other in enumerate(followed) for part in (at + step, other)),
    )


def _statuses(uid: int) -> Iterator[Command]:
    """Write older statuses of a viewer."""
    for number in range(1, OWN):
        status_id = _status(uid) - number * 64 * 64
        yield ("HSET", status_keys.status(status_id), "author", uid, *STATUS)
        yield ("ZADD", status_keys.profile_statuses(uid), status_id, status_id)


def _home(here: Site, uid: int, follows: list[int]) -> Iterator[Command]:
    """Yield the command that fills a home.

    It has one status of each of some that are followed, above older ones that nobody gets to see.
    """
    old = first_id_at(OLD_MS) - 10**12
    entries = [(_status(author), author) for author in follows[: OWN + 5]]
    entries += [
        (old + number * 64, follows[0]) for number in range(here.config.home_max - len(entries))
    ]
    yield (
        "ZADD",
        account_keys.home(uid),
        *(part for at, author in entries for part in (at, f"{at}:{author}")),
    )


def _status(uid: int) -> int:
    """Return the id of a member's newest status."""
    return first_id_at(OLD_MS - (uid % 50_000) * 1_000 - uid // 50_000) + partition_of(uid)

"""A real store for each test process, empty before each test.

Store tests run on a three-node Cluster as well.
"""

import gc
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cache
from inspect import iscoroutinefunction
from itertools import count
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import hypothesis
import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis import ConnectionPool
from werkzeug.test import TestResponse

from tests.support import worker
from tests.support.cluster import start_cluster
from tests.support.compiled_templates import use_kept_code
from tests.support.engines import SELECTED, Engine, start_server
from tests.support.kept_pages import check_kept_pages
from tests.support.loops import in_loop
from tests.support.remembered_passwords import remember_passwords
from tests.support.replays import check_replays
from tests.support.schema import check_schema
from tests.support.shared_routes import share_routes
from tests.support.world import PASSWORD as PASSWORD, Web, World
from webapp import create_app
from webapp.accounts.factors import codes
from webapp.config import Config, load
from webapp.core.media import images
from webapp.core.rendering.templating import SharedCode
from webapp.core.store import Db, Site
from webapp.core.store.connection import connect, open_store
from webapp.streaming import log_reader
from webapp.streaming.chats import open_chats

ID_MAX = 100  # characters of a parameter in the id of its test
GARBAGE = 50_000  # objects before the collector looks for cycles: 700 costs tests 3 % of their time
QUICK = "8/1/1"  # the cheapest argon2id cost: tests make many members
People = Callable[..., list[int]]  # the fixture `people`
SignUp = Callable[..., FlaskClient]  # the fixture `member`
ApplyEvents = Callable[[], None]  # the fixture `apply_events`
ROOT = Path(__file__).parent
OPEN_STREAMS = "tests.open_streams"
COMPILED = SharedCode()  # templates are the same for every app of a test process
PLENTY = "1000000/1"
# A busy machine is slow, which is no fault of what is tested.
hypothesis.settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("unhurried")
LIMITS = [field.name for field in fields(Config) if field.name.startswith("limit_")]
BASE = {
    "password_cost": QUICK,
    "secret_key": "tests",
    "inline_projections": True,
    "mail_folder": str(Path(gettempdir()) / "linnet-test-mails"),
    "session_touch": 86_400,  # so that no session is written again, however long a test takes
    "status_seconds": 0,  # so that what one member does shows to another at once
    "trend_member_hours": 0,  # so that new members count
    **dict.fromkeys(LIMITS, PLENTY),
}
SLOW_PATHS = (
    *("tests/e2e", "tests/system", "tests/models", "tests/demo"),
    *("tests/client_api/access", "tests/client_api/clients"),
    *("tests/chat/test_privacy.py", "tests/core/rendering/test_shells.py"),
)
PAGES = ("test_*views.py", "test_*pages.py")  # not even imported where pages are not wanted
ON_CLUSTER = (  # also in `make test`
    *("tests/core/events/test_fences.py", "tests/core/store/test_client.py"),
    *("tests/models/chat/", "tests/system/test_engines.py"),
)
ENDS = {"xdist_group": 0.6, "slow": 0.8}  # marks, and the part of a run over which they are spread
STORES = {  # what a test can run on: the fixture of its address
    "one server": "server",
    "cluster": "cluster",
    "redis": "redis_server",
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import slow tests, or those of pages, where none of them is wanted."""
    path, wanted = collection_path.relative_to(ROOT.parent), config.option.markexpr
    is_slow = "not slow" in wanted and path.as_posix() in SLOW_PATHS
    return is_slow or ("not pages" in wanted and any(map(path.match, PAGES))) or None


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests of stores, long ones on a Cluster, and slow ones, and spread the slow ones.

    On a Cluster `make test` has the client of the store, the scripts of projections, the state
    machine of chats and a walk over all pages. A file runs in one process, which starts its sites
    once. Slow tests wait much, for processes and time-outs: while one does, others need the
    processor. They end early: at the end of a run, no process waits for another.
    """
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "config" in fixtures:
            item.add_marker(pytest.mark.store)
        if item.get_closest_marker("cluster") and not item.nodeid.startswith(ON_CLUSTER):
            item.add_marker(pytest.mark.long)
        if item.nodeid.startswith(SLOW_PATHS):
            item.add_marker(pytest.mark.slow)
        if "app" in fixtures or any(map(item.path.match, PAGES)):
            item.add_marker(pytest.mark.pages)  # such a test costs as much as five others
    units: dict[str, dict[str, None]] = {}  # groups and files, by what their first test is marked
    for item in items:
        mark = next(filter(item.get_closest_marker, ENDS), "")
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.path.relative_to(ROOT).as_posix()))
        units.setdefault(mark, {})[_unit(item)] = None
    places: dict[str, float] = {}
    for mark, names in units.items():
        for place, name in enumerate(names):
            places.setdefault(name, place / len(names) * ENDS.get(mark, 1))
    items.sort(key=lambda item: places[_unit(item)])


def _unit(item: pytest.Item) -> str:
    """Return the name of the group of tests that run in one process."""
    return item.get_closest_marker("xdist_group").args[0]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a long text after its parameter and length.

    The ids of all tests are escaped, sent between processes, compared, and kept for the next run.
    """
    is_long = isinstance(val, str | bytes) and len(val) > ID_MAX
    return f"{argname} of {len(val)}" if is_long else None


def pytest_collection_finish() -> None:
    """Keep the garbage collector off the collected tests: there are too many to visit each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GARBAGE)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own."""
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    in_loop(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


def long(*values: object) -> Any:
    """Return values of a parametrized test which only `make check-all` runs."""
    return pytest.param(*values, marks=pytest.mark.long)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of this test process's own store."""
    with start_server(tmp_path_factory.mktemp("store"), SELECTED) as url:
        yield url


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Debian's Redis. Skips where it is missing."""
    with start_server(tmp_path_factory.mktemp("redis"), Engine.REDIS) as url:
        yield url


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Cluster of three primaries."""
    with start_cluster(tmp_path_factory.mktemp("cluster")) as url:
        yield url


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The paths of folders that are not there yet."""
    parent = tmp_path_factory.mktemp("tests")
    return (parent / str(number) for number in count())


@pytest.fixture
def tmp_path(folders: Iterator[Path]) -> Path:
    """An empty folder. pytest's own fixture looks through the folders of all tests for a name."""
    folder = next(folders)
    folder.mkdir()
    return folder


@pytest.fixture
def settings(server: str, tmp_path: Path) -> Config:
    """The settings of an app under test, on an empty store."""
    config = load({**BASE, "redis_url": server, "media_dir": str(tmp_path / "media")}, {})
    empty_store(config)
    return config


@pytest.fixture(params=["one server", pytest.param("cluster", marks=pytest.mark.cluster)])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Config:
    """The settings of a store under test: one server, then a Cluster."""
    url = request.getfixturevalue(STORES[request.param])
    config = load({**BASE, "redis_url": url, "media_dir": str(tmp_path / "media")}, {})
    empty_store(config)
    return config


@pytest.fixture
def db(config: Config) -> Iterator[Db]:
    """The store under test. What it holds at the end must be in the schema."""
    db = connect(config)
    yield db
    check_schema(db)
    db.close()


@pytest.fixture
def site(db: Db, config: Config) -> Site:
    """The store under test, and its settings."""
    return Site(db, config)


@pytest.fixture
def apply_events(site: Site) -> Callable[[], None]:
    """Return a function that applies all waiting events."""
    return lambda: worker.drain(site)


@pytest.fixture
def app(settings: Config) -> Iterator[Flask]:
    """The app on an empty store, applying events inline."""
    app = make_app(settings)
    yield app
    for response in app.extensions.get(OPEN_STREAMS, ()):
        response.close()
    db: Db = app.extensions["linnet.db"]
    check_schema(db)
    close_app(app)


@pytest.fixture
def app_site(app: Flask) -> Site:
    """The store of the app under test, and its settings."""
    return Site(app.extensions["linnet.db"], app.extensions["linnet.config"])


@pytest.fixture
def world(db: Db, config: Config) -> World:
    """A site without pages, on each kind of store."""
    return World(db, config)


@pytest.fixture
def web(app: Flask) -> Web:
    """A site with pages."""
    return Web(app)


@pytest.fixture(scope="module")
def shared_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A site with pages and a store of its own, for tests of a module that change nothing."""
    folder = tmp_path_factory.mktemp("shared")
    with start_server(folder, SELECTED) as url:
        app = make_app(load({**BASE, "redis_url": url, "media_dir": str(folder / "media")}, {}))
        yield Web(app)
        check_schema(app.extensions["linnet.db"])
        close_app(app)


@pytest.fixture
def client(web: Web) -> FlaskClient:
    """A visitor."""
    return web.client


@pytest.fixture
def ann(web: Web) -> FlaskClient:
    """Ann's browser."""
    return web.member("ann")


@pytest.fixture
def ben(web: Web) -> FlaskClient:
    """Ben's browser."""
    return web.member("ben")


@pytest.fixture
def admin(web: Web) -> FlaskClient:
    """An admin's browser."""
    return web.member("ada", "admin")


@pytest.fixture
def member(web: Web) -> SignUp:
    """Signs members up: `member("ann")` is her browser, `member("jay", "moderator")` one's."""
    return web.member


@pytest.fixture
def people(site: Site) -> People:
    """Makes members without a browser: `people("ann", "ben")` gives their ids."""
    return World(site.db, site.config).people


class Client(FlaskClient):
    """A client whose streams end with the test."""

    def open(self, *args: Any, **options: Any) -> TestResponse:
        response = super().open(*args, **options)
        if response.is_streamed:
            self.application.extensions.setdefault(OPEN_STREAMS, []).append(response)
        return response


share_routes()
use_kept_code()
remember_passwords()
images.EFFORT = 0  # the cheapest: tests store many pictures
codes.HASH_ROUNDS = 1  # of recovery codes: tests make many
log_reader.BLOCK_MS = 50  # a stream app that ends waits for its last read
open_chats.WAIT_SECONDS = 0.05
check_kept_pages()
check_replays()


def make_app(config: Config, **flask: Any) -> Flask:
    """Return an app in which errors become pages and forms need no token."""
    app = create_app(config)
    app.config.update({"WTF_CSRF_ENABLED": False, **flask})
    app.test_client_class = Client
    app.jinja_env.bytecode_cache = COMPILED
    # A socket that the collector finds open is an error of some test. A timer that sends views
    # opens one after the app was closed.
    db: Db = app.extensions["linnet.db"]
    weakref.finalize(db, _disconnect, db.primaries())
    return app


def _disconnect(pools: Iterable[ConnectionPool]) -> None:
    for pool in pools:
        pool.disconnect()


def close_app(app: Flask) -> None:
    """Close an app's connections. A timer that sends views later would open another one."""
    app.extensions["linnet.views"].flush()
    app.extensions["linnet.db"].close()


def empty_store(config: Config) -> None:
    """Remove all keys from the store of a test."""
    _connection(config.store_url).on_every_primary("FLUSHALL")


@cache
def _connection(url: str) -> Db:
    """Return the connection of this test process that empties a store."""
    return open_store(url)


def connect_raw(config: Config) -> Db:
    """Connect to the store without a check of what it holds."""
    return open_store(config.store_url)

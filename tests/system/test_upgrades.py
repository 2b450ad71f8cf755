"""Upgrades that the workers do by themselves: once, in slices, by one of them at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import pytest

from tests.support.upgrades import run_upgrade
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.core.errors import Conflict, Unavailable
from webapp.core.metrics import keys as metrics_keys
from webapp.core.store import Site, keys
from webapp.core.store.connection import REVISION
from webapp.registry import upgrades
from webapp.registry.upgrades import UPGRADES, Upgrade, UpgradeLoop, ask_again, pending


@dataclass
class Work:
    """What an upgrade under test did, and what it does in a slice."""

    seen: list[int] = field(default_factory=list)
    begun: int = 0
    finished: int = 0
    meanwhile: Callable[[], object] = lambda: None

    def step(self, site: Site, uids: Sequence[int]) -> None:
        self.seen += uids
        self.meanwhile()

    def begin(self, site: Site) -> None:
        self.begun += 1

    def finish(self, site: Site) -> None:
        self.finished += 1


@pytest.fixture
def work(world: World, monkeypatch: pytest.MonkeyPatch) -> Work:
    """An upgrade that three members wait for, two of them in a slice."""
    world.people("ann", "ben", "cat")
    work = Work()
    upgrade = Upgrade("birds", REVISION + 1, work.step, work.begin, work.finish)
    monkeypatch.setattr(upgrades, "UPGRADES", (upgrade,))
    monkeypatch.setattr(upgrades, "MEMBERS", 2)
    return work


def run(loop: UpgradeLoop) -> None:
    """Do slices while there are some."""
    while loop.do_slice():
        pass


def test_a_store_is_made_with_all_upgrades_that_its_version_knows(site: Site) -> None:
    assert site.db.read(pending()) == []
    assert max(one.revision for one in UPGRADES) == REVISION
    site.db.run(("DEL", keys.upgrades()))  # a store of an older version
    assert [one.upgrade for one in site.db.read(pending())] == list(UPGRADES)


def test_each_member_is_brought_up_to_date_once(site: Site, work: Work) -> None:
    run(UpgradeLoop(site))
    assert (work.seen, work.begun, work.finished) == ([1, 2, 3], 1, 1)
    assert not UpgradeLoop(site).do_slice() and site.db.read(pending()) == []


def test_what_only_older_versions_read_is_removed(site: Site) -> None:
    site.db.run(("HSET", "app_tokens:{j3j}:1", "client", "sha"))
    site.db.run(("SET", account_keys.last_uid(), 1))
    run_upgrade(site, "leftovers")
    assert site.db.run(("EXISTS", "app_tokens:{j3j}:1")) == 0


def test_another_worker_goes_on_where_one_died(site: Site, work: Work) -> None:
    first, second = UpgradeLoop(site), UpgradeLoop(site)
    assert first.do_slice() and first.do_slice()
    assert not second.do_slice()  # the first has the lease
    site.db.run(("HSET", keys.upgrades(), "lease", "gone 0"))
    assert str(site.db.read(pending())[0]) == "birds 2 of 3 members"
    run(second)
    assert (work.seen, work.begun, work.finished) == ([1, 2, 3], 1, 1)


def test_a_slice_that_another_worker_repeated_counts_once(site: Site, work: Work) -> None:
    first, second = UpgradeLoop(site), UpgradeLoop(site)
    first.do_slice()

    def overtake() -> None:
        work.meanwhile = lambda: None
        site.db.run(("HSET", keys.upgrades(), "lease", "gone 0"))
        assert second.do_slice()

    work.meanwhile = overtake
    assert not first.do_slice()
    run(second)
    assert (work.seen, work.begun, work.finished) == ([1, 2, 1, 2, 3], 1, 1)


@pytest.mark.parametrize("other", ["0.0.1", f"{version('linnet')}+{REVISION - 1}"])
def test_nothing_begins_while_processes_of_another_version_run(
    site: Site, work: Work, other: str
) -> None:
    def report(silent_seconds: int) -> None:
        seconds, _ = site.db.on_every_primary("TIME")[0]
        at = (int(seconds) - silent_seconds) * 1000
        site.db.run(("ZADD", metrics_keys.processes(), at, "here:1"))

    key = metrics_keys.process("here", 1)
    site.db.trip(("HSET", key, "kind", "web", "version", other), ("EXPIRE", key, 60))
    report(silent_seconds=0)
    assert not UpgradeLoop(site).do_slice()
    report(silent_seconds=60)
    assert UpgradeLoop(site).do_slice() and work.begun == 1


@pytest.mark.parametrize("error", [Conflict("rebuild_ended"), Unavailable("overloaded")])
def test_a_refused_slice_is_repeated_or_all_begins_again(
    site: Site, work: Work, error: Exception
) -> None:
    def refuse() -> None:
        work.meanwhile = lambda: None
        raise error

    work.meanwhile, loop = refuse, UpgradeLoop(site)
    loop.do_slice()
    if isinstance(error, Conflict):
        assert loop.do_slice()
    else:
        with pytest.raises(Unavailable):
            loop.do_slice()
    run(loop)
    assert (work.seen, work.finished) == ([1, 2, 1, 2, 3], 1)
    assert work.begun == (2 if isinstance(error, Conflict) else 1)


def test_what_is_asked_for_again_begins_anew(site: Site, work: Work) -> None:
    loop = UpgradeLoop(site)
    run(loop)
    ask_again(site.db, "birds")
    run(loop)
    assert (work.seen, work.begun, work.finished) == ([1, 2, 3] * 2, 2, 2)

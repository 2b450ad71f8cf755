"""The walk over all keys: what takes memory, and what is not as its declaration says."""

import json
from contextvars import Context

import pytest

from tests.conftest import People
from tests.support.settings import with_settings
from tests.support.timelines import post
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.admin.key_report.command import as_text, print_report, problems
from webapp.admin.key_report.declared import UNKNOWN, Kind, kind_of
from webapp.admin.key_report.walk import KeyReport, walk
from webapp.config import Config
from webapp.core.metrics.recorder import KEYS_MAX, RECORDER, Recorder
from webapp.core.reporter import Reporter
from webapp.core.store import Site
from webapp.core.store.client import SAMPLED
from webapp.core.store.servers.routing import sampled_key
from webapp.statuses import keys as status_keys
from webapp.statuses.folders import keys as folder_keys


def report_of(site: Site, noun: str = "") -> KeyReport:
    *_, report = walk(site.db, site.config, noun)
    return report


def test_every_key_is_counted_once_under_its_declaration(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    ids = [post(world, uid, "hello")[0] for uid in (ann, ben)]
    report = report_of(world)
    names = {name for names in world.db.scan("*", 1_000) for name in names}
    assert sum(kind.count for kind in report.kinds.values()) == len(names)
    statuses = report.kinds[kind_of(status_keys.status(min(ids))).shape]
    assert statuses.count == 2 and statuses.size > 100 and sum(statuses.encodings.values()) == 2
    assert UNKNOWN not in report.kinds


def test_planted_keys_are_named(site: Site, people: People) -> None:
    (ann,) = people("ann")
    db = site.db
    session = account_keys.session(ann, "x")
    folder = folder_keys.folder_statuses(ann, 1)
    db.run(("SET", "unheard:of", "1"))
    db.run(("HSET", session, "agent", "x"))
    db.run(("ZADD", folder, *(part for number in range(9) for part in (number, number))))
    site = with_settings(site, folder_statuses_max=4)
    found = list(problems(report_of(site)))
    assert [line for line in found if "not declared" in line and "unheard:of" in line]
    assert [line for line in found if "never expire" in line and session in line]
    assert [line for line in found if "more than twice" in line and folder in line]
    db.trip(("DEL", "unheard:of"), ("DEL", session))


@pytest.mark.parametrize(
    ("bound", "length"),
    [
        ("DRAFTS_MAX", 4),
        ("at most DRAFTS_MAX a member", 4),
        ("at most 301", 301),
        ("the newest 1,000", 1_000),
        ("the newest 1,000, or fewer", 1_000),
        ("the newest 1,000 to 2,000, in 2.8 KB; expires after two weeks", 2_000),
        ("at most 12 KiB; expires a day after the day", None),
        ("360 samples of 10 s, 1,440 of 60 s, 4,320 of 600 s; one a day without end", None),
        ("no bound: at most 10 entries a member", None),
        ("three fields", None),
    ],
)
def test_a_bound_is_read_only_where_it_is_one_number(bound: str, length: int | None) -> None:
    kind = Kind("things", bound, is_collection=True)
    assert kind.length_max(Config(drafts_max=4)) == length


def test_the_command_prints_json_and_fails_for_what_is_wrong(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    (ann,) = world.people("ann")
    assert print_report(world.config, "", 5, 0, in_json=True) == 0
    kinds = json.loads(capsys.readouterr().out)["kinds"]
    assert kinds[kind_of(account_keys.user(ann)).shape]["count"] == 1
    world.db.run(("SET", "unheard:of", "1"))
    assert print_report(world.config, "", 5, 0, in_json=False) == 1
    assert "FAIL  1 keys are not declared" in capsys.readouterr().out
    world.db.run(("DEL", "unheard:of"))


def test_one_kind_can_be_looked_at(world: World) -> None:
    world.people("ann", "ben")
    assert {shape.split(":")[0] for shape in report_of(world, "user").kinds} == {"user"}
    lines = list(as_text(report_of(world), top=2))
    assert len([line for line in lines if " B " in line and "largest" not in line]) == 2


def test_the_keys_that_most_commands_ask_for_are_named(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    ann, ben = world.people("ann", "ben")
    RECORDER.take()
    for _ in range(5 * SAMPLED):
        Context().run(  # as of another request
            world.db.trip,
            ("HGET", account_keys.user(ann), "name"),
            ("EXISTS", account_keys.session(ben, "secret")),
            ("PING",),
        )
    Reporter(world, "web").flush()
    assert print_report(world.config, "user", 5, 0, in_json=True) == 0
    rates = json.loads(capsys.readouterr().out)["commands_a_second"]
    assert rates[account_keys.user(ann)] > 0 and "PING" not in rates
    assert [name for name in rates if name.startswith("session:")] and "secret" not in str(rates)
    print_report(world.config, "user", 5, 0, in_json=False)
    out = capsys.readouterr().out
    assert "commands a second in" in out and account_keys.user(ann) in out


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (("GET", "home:{53t}:64"), "home:{53t}:64"),
        (("EVALSHA", "sha", 2, "lists:{53t}:64:1:rest", "x"), "lists:{53t}:64"),
        (("EXISTS", "session:{53t}:secret"), "session:{53t}"),
        (("GET", "invite:{s3cret}"), "invite"),
        (("EVALSHA", "sha", 1, "limit:{10.0.0.1}:signup"), "limit"),
        (("GET", "last_uid"), "last_uid"),
        (("XREADGROUP", "GROUP", "a", "b", "STREAMS", "outbox:{53t}", ">"), "outbox:{53t}"),
        (("ROLE",), ""),
        (("EVALSHA", "sha", 0), ""),
        (("XREAD", "BLOCK"), ""),
    ],
)
def test_a_command_counts_for_one_key_without_what_may_be_secret(
    command: tuple[object, ...], key: str
) -> None:
    assert sampled_key(command) == key


def test_no_more_keys_wait_than_a_process_may_hold() -> None:
    recorder = Recorder()
    recorder.sample(f"status:{number}" for number in range(2 * KEYS_MAX))
    recorder.sample(["status:1", "", "status:1"])
    keys = recorder.take().keys
    assert len(keys) == KEYS_MAX and keys["status:1"] == 3

"""The operator's security log: what happened to all accounts, bounded, without names or secrets."""

import re
from pathlib import Path

import pytest

import webapp
from tests.support import paging
from tests.support.concurrently import at_once
from tests.support.world import World
from webapp.accounts import lifecycle
from webapp.accounts.security_log import keys
from webapp.accounts.security_log.site_log import SiteEntry, page
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.sessions.devices import Device
from webapp.core.errors import Invalid
from webapp.core.store import PARTITIONS, Site

PACKAGE = Path(webapp.__file__).parent
PHONE = Device("192.0.2.77", "Mozilla/5.0 (iPhone) Safari\n10.0.0.0/24")
LAPTOP = Device("2001:db8:1:2::3", "Firefox")


def entries(site: Site, kind: str = "", uid: int | None = None) -> list[SiteEntry]:
    """Return the whole log, and check that its pages go on and repeat nothing."""
    found = paging.items(lambda before: page(site.db, kind, uid, before, 7))
    assert len(set(found)) == len(found)
    assert [one.ms for one in found] == sorted((one.ms for one in found), reverse=True)
    return found


def fail(site: Site, login: str, device: Device = PHONE) -> None:
    with pytest.raises(Invalid):
        credentials.sign_in(site, login, "wrong password", device.note)


def facts(found: list[SiteEntry]) -> list[tuple[int, str, str, int]]:
    return [(one.uid, one.kind, one.network, one.count) for one in found]


def test_no_code_changes_an_entry_that_is_written() -> None:
    include = PACKAGE / "accounts/security_log/lua/includes/note_entry.lua"
    scripts = [path.read_text() for path in PACKAGE.rglob("*.lua") if path != include]
    direct = r"redis\.call\('(\w+)', security_(?:entries|failures)"
    assert {name for text in scripts for name in re.findall(direct, text)} == {"XTRIM"}
    assert re.findall(r"redis\.call\('(\w+)'", include.read_text()) == ["XADD"]
    log = (PACKAGE / "moderation/lua/log.lua").read_text()
    assert set(re.findall(r"redis\.call\('(\w+)', entries", log)) == {"HDEL", "HSETNX"}
    named = re.compile(r"keys\.(security_entries|security_failures|log_entries)\b")
    modules = [path for path in PACKAGE.rglob("*.py") if named.search(path.read_text())]
    readers = {"accounts/security_log/site_log.py", "moderation/log.py"}
    assert {path.relative_to(PACKAGE).as_posix() for path in modules} == readers
    for reader in readers:
        sent = set(re.findall(r"\(\s*\"([A-Z]{3,})\",", (PACKAGE / reader).read_text()))
        assert sent <= {"XREVRANGE", "HMGET", "ZREVRANGE", "ZRANGE", "ZCOUNT", "ZCARD"}


def test_log_ins_of_all_members_are_in_it_with_their_network(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    sessions.start(world, ann, device=PHONE)
    sessions.start(world, ben, device=LAPTOP)
    expected = {(ben, "signed_in", "2001:db8:1::/48", 1), (ann, "signed_in", "192.0.2.0/24", 1)}
    assert set(facts(entries(world))) == expected
    assert facts(entries(world, uid=ann)) == [(ann, "signed_in", "192.0.2.0/24", 1)]
    assert entries(world, "passwords") == [] == entries(world, "log-ins", 5)


def test_failures_in_a_row_are_one_entry_and_push_nothing_else_out(world: World) -> None:
    [ann] = world.people("ann")
    sessions.start(world, ann, device=PHONE)
    for device in (PHONE, PHONE, LAPTOP, PHONE, PHONE, PHONE):
        fail(world, "ann", device)
    counts = [(one.network, one.count) for one in entries(world, "failed")]
    assert counts == [("192.0.2.0/24", 3), ("2001:db8:1::/48", 1), ("192.0.2.0/24", 2)]
    for number in range(600):
        fields = ("uid", ann, "kind", "failed", "network", f"{number}", "count", 1)
        world.db.run(("XADD", keys.security_failures(ann), "*", *fields))
    fail(world, "ann")
    assert world.db.run(("XLEN", keys.security_failures(ann))) == 500
    assert facts(entries(world, "log-ins")) == [(ann, "signed_in", "192.0.2.0/24", 1)]


def test_a_name_that_nobody_has_is_counted_and_not_kept(world: World) -> None:
    world.people("ann")
    for login in ("hunter2-is-my-password", "nobody", "nobody"):
        fail(world, login)
    assert facts(entries(world)) == [(0, "failed", "192.0.2.0/24", 3)]
    stored = [
        world.db.run(("XRANGE", keys.security_failures(number), "-", "+"))
        for number in range(PARTITIONS)
    ]
    assert "hunter2" not in str(stored) and "nobody" not in str(stored)


def test_fifty_failures_at_once_are_counted(world: World) -> None:
    [ann] = world.people("ann")
    at_once(10, lambda _: fail(world, "ann"), range(50))
    assert facts(entries(world)) == [(ann, "failed", "192.0.2.0/24", 50)]


def test_rights_and_suspensions_by_the_operator_are_in_it(world: World) -> None:
    [ann] = world.people("ann")
    lifecycle.grant(world.db, ann, "admin")
    lifecycle.grant(world.db, ann, "admin")
    lifecycle.grant(world.db, ann, "admin", False)
    lifecycle.suspend(world, ann)
    lifecycle.suspend(world, ann, False)
    kinds = [(one.kind, one.what) for one in entries(world)]
    assert kinds == [
        ("undo", "suspend"),
        ("act", "suspend"),
        ("withdrawn", "admin"),
        ("granted", "admin"),
    ]
    assert len(entries(world, "roles")) == len(entries(world, "moderation")) == 2


def test_entries_go_after_ninety_days(world: World) -> None:
    [ann] = world.people("ann")
    now_s, _ = world.db.run(("TIME",))
    for kind, stream in (
        ("signed_in", keys.security_entries(ann)),
        ("failed", keys.security_failures(ann)),
    ):
        for days in (91, 89):
            at = f"{(int(now_s) - days * 86_400) * 1000}-0"
            world.db.run(("XADD", stream, at, "uid", ann, "kind", kind))
    sessions.trim(world, ann)
    assert len(entries(world)) == 2


def test_pages_of_a_long_log_go_on_through_all_partitions(world: World) -> None:
    uids = world.people("ann", "ben", "cat", "dan")
    for number in range(240):
        sessions.start(world, uids[number % 3], device=PHONE)
    sessions.start(world, uids[3], device=LAPTOP)
    assert len(entries(world)) == 241 == len(entries(world, "log-ins"))
    assert len(entries(world, uid=uids[0])) == 80

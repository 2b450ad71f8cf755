"""Accounts and sessions at the store, on one server and on a Cluster."""

import pytest

from tests.conftest import PASSWORD
from tests.support.concurrently import concurrently
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.accounts import keys as account_keys, registration, store
from webapp.accounts.passwords import hashing
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.sessions.cookie_value import sha256
from webapp.config import Config
from webapp.core.errors import Conflict, Invalid, NotFound, Unavailable
from webapp.core.store import Db, Site, partition_of


def test_a_login_is_unique_in_any_letter_case(site: Site) -> None:
    ann = registration.sign_up(site, "Ann", "Ann", PASSWORD)
    with pytest.raises(Conflict):
        registration.sign_up(site, "aNN", "Another", PASSWORD)
    assert store.get_by_login(site.db, "ANN") == ann
    verified = credentials.sign_in(site, "ann", PASSWORD)
    assert (verified.member, verified.epoch) == (ann, sessions.INITIAL_EPOCH)


def test_an_abandoned_claim_is_taken_over_after_a_minute(site: Site) -> None:
    seconds, micros = map(int, site.db.on_every_primary("TIME")[0])
    now = seconds * 1000 + micros // 1000
    site.db.run(("SET", account_keys.login("ann"), f"999:{now - 50_000}"))
    with pytest.raises(Conflict):
        registration.sign_up(site, "ann", "Ann", PASSWORD)
    site.db.run(("SET", account_keys.login("ann"), f"999:{now - 61_000}"))
    ann = registration.sign_up(site, "ann", "Ann", PASSWORD)
    assert store.get_by_login(site.db, "ann") == ann != 999


def test_an_old_claim_of_an_existing_account_is_not_taken_over(site: Site) -> None:
    ann = registration.sign_up(site, "ann", "Ann", PASSWORD)
    site.db.run(("SET", account_keys.login("ann"), f"{ann.uid}:1"))
    with pytest.raises(Conflict):
        registration.sign_up(site, "ann", "Other", PASSWORD)


def test_an_expired_claim_creates_no_account(db: Db, config: Config) -> None:
    uid = 7
    command = registration.CREATE(
        config,
        uid=uid,
        login="ann",
        name="Ann",
        hash="hash",
        claimed_at=1,
        rights="",
        inviter="",
        bot_owner="",
        flagged="",
    )
    with pytest.raises(Conflict):
        db.run(command)
    assert not db.run(("EXISTS", account_keys.user(uid)))


def test_concurrent_takeovers_of_one_claim_create_one_account(site: Site) -> None:
    site.db.run(("SET", account_keys.login("ann"), "999:1"))
    results = concurrently(lambda _: registration.sign_up(site, "ann", "Ann", PASSWORD), 50)
    [winner] = [one for one in results if not isinstance(one, str)]
    assert store.get_by_login(site.db, "ann").uid == winner.uid


def test_a_wrong_password_or_login_is_refused(world: World) -> None:
    world.people("ann")
    for login, password in (
        ("ann", "wrong"),
        ("ben", PASSWORD),
        ("", ""),
        ("no such name at all", PASSWORD),
    ):
        world.refuses(Invalid, credentials.sign_in, login, password, match="wrong_password")


def test_a_sign_in_rehashes_a_password_of_another_cost(world: World) -> None:
    [ann] = world.people("ann")
    costlier = with_settings(world, password_cost="16/1/1")
    credentials.sign_in(costlier, "ann", PASSWORD)
    assert not hashing.needs_rehash(
        world.db.run(("GET", account_keys.password(ann))), costlier.config.password_cost
    )
    late = credentials.REHASH(uid=ann, old_hash="of the password before", new_hash="the same")
    assert not world.db.run(late)
    credentials.sign_in(costlier, "ann", PASSWORD)


def test_a_session_loads_until_it_ends(world: World) -> None:
    [ann] = world.people("ann")
    cookie = sessions.start(world, ann)
    session = sessions.load(world, cookie)
    assert session and session.member.uid == ann and not session.touched
    sessions.end(world, cookie)
    assert sessions.load(world, cookie) is None


def test_a_session_is_extended_at_most_once_a_minute(world: World) -> None:
    [ann], site = world.people("ann"), with_settings(world, session_touch=60)
    cookie = sessions.start(world, ann)
    [key] = [key for key in live_keys(world.db) if key.startswith("session:")]
    world.db.run(("EXPIRE", key, 100))
    loaded = sessions.load(site, cookie)
    assert loaded and not loaded.touched
    assert world.db.run(("TTL", key)) <= 100
    world.db.run(("HINCRBY", key, "seen", -61))
    own = account_keys.member_sessions(ann)
    world.db.run(("ZADD", own, 1, key.rpartition(":")[2]))
    loaded = sessions.load(site, cookie)
    assert loaded and loaded.touched
    assert world.db.run(("TTL", key)) > 29 * 86_400
    assert world.db.run(("ZCOUNT", own, "(1", "inf")) == 1  # the one that is removed last


def test_trim_removes_the_least_recently_seen_sessions_above_the_limit(world: World) -> None:
    [ann] = world.people("ann")
    limited = with_settings(world, sessions_max=64 * 3)
    cookies = [sessions.start(limited, ann) for _ in range(5)]
    stored = world.db.run(("ZRANGE", account_keys.sessions(partition_of(ann)), 0, -1))
    shas = [sha256(cookie.partition(".")[2]) for cookie in cookies]
    assert sorted(stored) == sorted(shas)
    for age, sha in enumerate(reversed(shas)):
        world.db.run(("ZINCRBY", account_keys.sessions(partition_of(ann)), -age, sha))
    assert sessions.trim(limited, partition_of(ann)) == 2
    expected = [False, False, True, True, True]
    assert [bool(sessions.load(limited, cookie)) for cookie in cookies] == expected


def test_a_session_needs_an_account(site: Site) -> None:
    with pytest.raises(NotFound):
        sessions.start(site, 12345)


def test_a_sign_up_refused_by_a_full_outbox_leaves_the_login_free(world: World) -> None:
    [ann] = world.people("ann")
    full = with_settings(world, outbox_max=0)
    full.refuses(Unavailable, registration.sign_up, "ben", "Ben", PASSWORD)
    assert store.get_by_login(world.db, "ann").uid == ann and world.people("ben")

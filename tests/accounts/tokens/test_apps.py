"""A member's own apps: creating, sealing, listing, revoking and deleting them."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.schema import live_keys
from webapp.accounts import lifecycle
from webapp.accounts.sessions import credentials
from webapp.accounts.tokens import apps
from webapp.accounts.tokens import keys as token_keys
from webapp.accounts.tokens.apps import AppCredentials
from webapp.config import BadSetting, Config
from webapp.core.events import keys as event_keys
from webapp.core.net import encryption
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.errors import Conflict, Forbidden, NotFound, Unauthorized

People = Callable[..., list[int]]
READ = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "stream": ("XRANGE", "-", "+"),
    "set": ("SMEMBERS",),
}


def everything(db: Db) -> str:
    """Return everything in the store, as text."""
    found = []
    for key in live_keys(db):
        command, *rest = READ.get(db.run(("TYPE", key)), ("ZRANGE", 0, -1))
        found.append(f"{key} {db.run((command, key, *rest))}")
    return "\n".join(found)


def events(db: Db, uid: int) -> list[str]:
    """Return the types of the events in a partition's outbox."""
    return [
        fields[fields.index("type") + 1]
        for _, fields in db.run(("XRANGE", event_keys.outbox(partition_of(uid)), "-", "+"))
    ]


def test_an_app_is_found_by_its_consumer_key_in_one_trip(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    one, two, other = (apps.create(db, config, uid, "My reader") for uid in (ann, ann, ben))
    before = db.trips
    assert apps.load(db, config, two.consumer_key) == two
    assert db.trips - before == 1
    assert (
        apps.load(db, config, one.consumer_key) == one
        and apps.load(db, config, other.consumer_key) == other
    )
    owner = apps.find_owner(db, other.consumer_key)
    assert owner and owner.uid == ben
    parts = [part for pair in (one, two, other) for part in _parts(pair)]
    assert len(set(parts)) == len(parts)


def test_no_secret_is_stored_or_logged_in_clear(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    pair = apps.create(db, config, ann, "My reader")
    stored = everything(db)
    assert pair.token in stored  # so that the search is known to find
    for secret in (pair.consumer_secret, pair.token_secret):
        assert len(secret) == 64
        assert secret not in stored and secret.encode().hex() not in stored
        assert secret not in repr(pair)


def test_a_sealed_secret_opens_with_the_same_key_and_for_the_same_app_only(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    one, two = (apps.create(db, config, ann, name) for name in ("one", "two"))
    assert apps.load(db, replace(config, secret_key="another"), one.consumer_key) is None
    ids = [pair.consumer_key.partition("-")[2] for pair in (one, two)]
    sealed = db.run(("HGET", token_keys.app(ann, ids[0]), "secrets"))
    db.run(("HSET", token_keys.app(ann, ids[1]), "secrets", sealed))
    assert apps.load(db, config, two.consumer_key) is None
    assert apps.load(db, config, one.consumer_key) == one
    db.run(("HSET", token_keys.app(ann, ids[0]), "secrets", sealed[:-3] + "AAA"))
    assert apps.load(db, config, one.consumer_key) is None


def test_nothing_is_sealed_without_a_key(config: Config) -> None:
    with pytest.raises(BadSetting, match="SECRET_KEY"):
        encryption.seal(replace(config, secret_key=""), "app", "secret")


@pytest.mark.parametrize("secret", ["", "secret", "麻雀 \U0001f426", "x" * 10_000])
def test_what_is_sealed_is_read_again_and_never_looks_the_same(secret: str, config: Config) -> None:
    first, second = (encryption.seal(config, "test", secret) for _ in range(2))
    assert first != second
    assert (
        encryption.unseal(config, "test", first)
        == encryption.unseal(config, "test", second)
        == secret
    )
    assert encryption.unseal(config, "other", first) is None
    assert encryption.unseal(config, "test", "no box é") is None


def test_apps_are_bounded_whoever_makes_them_at_once(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    few = replace(config, apps_max=3)

    def attempt(number: int) -> bool:
        try:
            return bool(apps.create(db, few, ann, f"app {number}"))
        except Conflict:
            return False

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(attempt, range(50))) == 3
    assert len(apps.list_apps(db, ann)) == 3
    assert len([key for key in live_keys(db) if key.startswith("app:")]) == 3


def test_a_revoked_app_is_gone_and_open_streams_are_told(
    db: Db, config: Config, people: People, settle: Callable[[], None]
) -> None:
    ann, ben = people("ann", "ben")
    kept, gone = (apps.create(db, config, ann, name) for name in ("kept", "gone"))
    settle()
    stranger = f"{ann + PARTITIONS}-{gone.consumer_key.partition('-')[2]}"  # of the same partition
    for uid, key in (
        (ben, gone.consumer_key),
        (ann + PARTITIONS, stranger),
        (ann, stranger),
        (ann, "none"),
    ):
        assert not apps.revoke(db, config, uid, key)
    assert "signed_out" not in events(db, ann)
    assert apps.revoke(db, config, ann, gone.consumer_key)
    assert events(db, ann)[-1] == "signed_out"
    assert not apps.revoke(db, config, ann, gone.consumer_key)
    assert (
        apps.load(db, config, gone.consumer_key) is None
        and apps.find_owner(db, gone.consumer_key) is None
    )
    assert apps.authenticate(db, config, gone.consumer_key, "nonce", 60) is None
    assert [app.consumer_key for app in apps.list_apps(db, ann)] == [kept.consumer_key]


def test_a_list_says_which_app_was_used(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    one, two = (apps.create(db, config, ann, name) for name in ("one", "two"))
    assert {(app.name, app.token, app.last_used) for app in apps.list_apps(db, ann)} == {
        ("one", one.token, None),
        ("two", two.token, None),
    }
    owner = apps.authenticate(db, config, one.consumer_key, "nonce", 60)
    assert owner and owner.uid == ann
    used = {app.name: app.last_used for app in apps.list_apps(db, ann)}
    assert used["one"] and not used["two"]


def test_a_nonce_counts_once_for_each_app_for_its_life(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    one, two = (apps.create(db, config, ann, name) for name in ("one", "two"))

    def attempt(_: int) -> bool:
        try:
            return bool(apps.authenticate(db, config, one.consumer_key, "nonce", 60))
        except Unauthorized:
            return False

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(attempt, range(50))) == 1
    assert apps.authenticate(db, config, one.consumer_key, "another", 60)
    assert apps.authenticate(db, config, two.consumer_key, "nonce", 60)
    nonces = [key for key in live_keys(db) if key.startswith("nonce:")]
    assert len(nonces) == 3 and all(0 < db.run(("TTL", key)) <= 60 for key in nonces)


def test_a_suspended_members_apps_are_no_good_until_they_are_back(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    pair = apps.create(db, config, ann, "reader")
    lifecycle.suspend(db, config, ann)
    assert apps.find_owner(db, pair.consumer_key) is None
    assert apps.authenticate(db, config, pair.consumer_key, "nonce", 60) is None
    with pytest.raises(Forbidden):
        apps.create(db, config, ann, "more")
    lifecycle.suspend(db, config, ann, suspended=False)
    assert apps.find_owner(db, pair.consumer_key) and apps.authenticate(
        db, config, pair.consumer_key, "nonce", 60
    )


@pytest.mark.parametrize("end", ["reset", "remove"])
def test_apps_go_with_an_operators_reset_and_with_the_account(
    end: str, db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    pairs = [apps.create(db, config, ann, f"app {n}") for n in range(3)]
    other = apps.create(db, config, ben, "other")
    if end == "reset":
        credentials.reset_password(db, config, ann, "another battery staple")
    else:
        lifecycle.delete_account(db, config, ann, PASSWORD)
        with pytest.raises(NotFound):
            apps.create(db, config, ann, "more")
    for pair in pairs:
        assert (
            apps.load(db, config, pair.consumer_key) is None
            and apps.find_owner(db, pair.consumer_key) is None
        )
        assert apps.authenticate(db, config, pair.consumer_key, "nonce", 60) is None
    assert apps.list_apps(db, ann) == []
    assert not [
        key for key in live_keys(db) if key.startswith(("app:", "apps:")) and f"}}:{ann}" in key
    ]
    assert apps.load(db, config, other.consumer_key) == other


def test_a_member_who_changes_their_own_password_keeps_their_apps(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    pair = apps.create(db, config, ann, "reader")
    credentials.change_password(db, config, ann, PASSWORD, "another battery staple", "")
    assert apps.load(db, config, pair.consumer_key) == pair


@pytest.mark.parametrize(
    "key",
    ["", "1-", "1-x", "0-" + "0" * 24, "1-" + "0" * 24, "٣-" + "0" * 24, "1-" + "0" * 24 + "\n"],
)
def test_a_forged_key_is_nobodys(key: str, db: Db, config: Config, people: People) -> None:
    people("ann")
    assert apps.load(db, config, key) is None and apps.find_owner(db, key) is None
    assert apps.authenticate(db, config, key, "nonce", 60) is None
    assert not [name for name in live_keys(db) if name.startswith("nonce:")]


# The page


def test_keys_are_shown_once_and_revoked(member: Callable[[str], FlaskClient]) -> None:
    ann = member("ann")
    made = ann.post("/settings/apps", data={"name": "My reader"})
    assert made.status_code == 201 and made.headers["Cache-Control"] == "no-store"
    consumer_key, consumer_secret, token, token_secret = re.findall(
        r"<dd><code>([\w-]+)</code></dd>", made.text
    )
    page = ann.get("/settings/apps").text
    assert all(shown in page for shown in ("My reader", consumer_key, token, "never used"))
    assert consumer_secret not in page and token_secret not in page
    action = f"/settings/apps/{consumer_key}/revoke"
    assert action in page
    member("ben").post(action)
    assert "My reader" in ann.get("/settings/apps").text
    done = ann.post(action, follow_redirects=True).text
    assert "App revoked." in done and "You have no apps." in done


@pytest.mark.parametrize("name", ["", " ", "\u200b", "x" * 51])
def test_an_app_needs_a_name(name: str, member: Callable[[str], FlaskClient]) -> None:
    answer = member("ann").post("/settings/apps", data={"name": name})
    assert answer.status_code == 422 and 'id="app-name-error"' in answer.text


def test_too_many_apps_are_refused_with_the_reason(
    settings: Config, app: Flask, member: Callable[[str], FlaskClient]
) -> None:
    app.extensions["linnet.config"] = replace(settings, apps_max=1)
    ann = member("ann")
    assert ann.post("/settings/apps", data={"name": "one"}).status_code == 201
    refused = ann.post("/settings/apps", data={"name": "two"})
    assert (
        refused.status_code == 409
        and "Revoke one first." in refused.text
        and 'value="two"' in refused.text
    )


def test_a_visitor_sees_no_apps(client: FlaskClient) -> None:
    assert client.get("/settings/apps").status_code == 303


def _parts(pair: AppCredentials) -> tuple[str, ...]:
    return pair.consumer_key, pair.consumer_secret, pair.token, pair.token_secret

"""A member's API apps: creating, sealing, listing, revoking and deleting them."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.concurrently import concurrently
from tests.support.events import event_types
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.accounts.sessions import credentials
from webapp.accounts.tokens import apps, keys as token_keys
from webapp.accounts.tokens.apps import AppCredentials
from webapp.config import BadSetting, Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.net import encryption
from webapp.core.store import PARTITIONS, Db

READ_COMMANDS = {
    "string": ("GET",),
    "hash": ("HGETALL",),
    "stream": ("XRANGE", "-", "+"),
    "set": ("SMEMBERS",),
}


def dump(db: Db) -> str:
    """Return everything in the store, as text."""
    lines = []
    for key in live_keys(db):
        command, *args = READ_COMMANDS.get(db.run(("TYPE", key)), ("ZRANGE", 0, -1))
        lines.append(f"{key} {db.run((command, key, *args))}")
    return "\n".join(lines)


def test_an_app_is_loaded_by_its_consumer_key_in_one_trip(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first, second, other = (apps.create(world, uid, "My reader") for uid in (ann, ann, ben))
    before = world.db.trips
    assert apps.load(world, second.consumer_key) == second
    assert world.db.trips - before == 1
    assert apps.load(world, first.consumer_key) == first
    assert apps.load(world, other.consumer_key) == other
    owner = apps.find_owner(world.db, other.consumer_key)
    assert owner and owner.uid == ben
    parts = [part for pair in (first, second, other) for part in _parts(pair)]
    assert len(set(parts)) == len(parts)


def test_no_secret_is_stored_or_logged_in_clear(world: World) -> None:
    (ann,) = world.people("ann")
    pair = apps.create(world, ann, "My reader")
    stored = dump(world.db)
    assert pair.token in stored  # the search works
    for secret in (pair.consumer_secret, pair.token_secret):
        assert len(secret) == 64
        assert secret not in stored and secret.encode().hex() not in stored
        assert secret not in repr(pair)


def test_a_sealed_secret_opens_only_with_its_key_and_for_its_app(world: World) -> None:
    (ann,) = world.people("ann")
    first, second = (apps.create(world, ann, name) for name in ("one", "two"))
    assert apps.load(with_settings(world, secret_key="another"), first.consumer_key) is None
    ids = [pair.consumer_key.partition("-")[2] for pair in (first, second)]
    sealed = world.db.run(("HGET", token_keys.app(ann, ids[0]), "secrets"))
    world.db.run(("HSET", token_keys.app(ann, ids[1]), "secrets", sealed))
    assert apps.load(world, second.consumer_key) is None
    assert apps.load(world, first.consumer_key) == first
    world.db.run(("HSET", token_keys.app(ann, ids[0]), "secrets", sealed[:-3] + "AAA"))
    assert apps.load(world, first.consumer_key) is None


def test_sealing_needs_a_key(config: Config) -> None:
    with pytest.raises(BadSetting, match="SECRET_KEY"):
        encryption.seal(replace(config, secret_key=""), "app", "secret")


@pytest.mark.parametrize("secret", ["", "secret", "麻雀 \U0001f426", "x" * 10_000])
def test_sealing_is_reversible_and_never_repeats_a_text(secret: str, config: Config) -> None:
    first, second = (encryption.seal(config, "test", secret) for _ in range(2))
    assert first != second
    assert encryption.unseal(config, "test", first) == secret
    assert encryption.unseal(config, "test", second) == secret
    assert encryption.unseal(config, "other", first) is None
    assert encryption.unseal(config, "test", "no box é") is None


def test_concurrent_creations_stop_at_the_apps_limit(world: World) -> None:
    (ann,) = world.people("ann")
    limited = with_settings(world, apps_max=3)
    results = concurrently(lambda number: apps.create(limited, ann, f"app {number}"), 50)
    assert results.count("apps_full") == 47
    assert len(apps.list_apps(world.db, ann)) == 3
    assert len([key for key in live_keys(world.db) if key.startswith("app:")]) == 3


def test_a_revoked_app_is_deleted_and_its_streams_are_notified(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    other, revoked = (apps.create(world, ann, name) for name in ("other", "revoked"))
    world.apply_events()
    # A key of another member in the same partition.
    neighbours_key = f"{ann + PARTITIONS}-{revoked.consumer_key.partition('-')[2]}"
    for uid, key in (
        (ben, revoked.consumer_key),
        (ann + PARTITIONS, neighbours_key),
        (ann, neighbours_key),
        (ann, "none"),
    ):
        assert not apps.revoke(world, uid, key)
    assert "signed_out" not in event_types(world.db, ann)
    assert apps.revoke(world, ann, revoked.consumer_key)
    assert event_types(world.db, ann)[-1] == "signed_out"
    assert not apps.revoke(world, ann, revoked.consumer_key)
    assert apps.load(world, revoked.consumer_key) is None
    assert apps.find_owner(world.db, revoked.consumer_key) is None
    assert apps.authenticate(world, revoked.consumer_key, "nonce", 60) is None
    assert [app.id for app in apps.list_apps(world.db, ann)] == [other.consumer_key]


def test_the_list_of_apps_shows_their_last_use(world: World) -> None:
    (ann,) = world.people("ann")
    first, second = (apps.create(world, ann, name) for name in ("one", "two"))
    found = {(app.name, app.token, app.last_used) for app in apps.list_apps(world.db, ann)}
    assert found == {("one", first.token, None), ("two", second.token, None)}
    owner = apps.authenticate(world, first.consumer_key, "nonce", 60)
    assert owner and owner.uid == ann
    used = {app.name: app.last_used for app in apps.list_apps(world.db, ann)}
    assert used["one"] and not used["two"]


def test_a_nonce_is_valid_once_per_app(world: World) -> None:
    (ann,) = world.people("ann")
    first, second = (apps.create(world, ann, name) for name in ("one", "two"))
    results = concurrently(lambda _: apps.authenticate(world, first.consumer_key, "nonce", 60), 50)
    assert results.count("oauth_replayed") == 49
    assert apps.authenticate(world, first.consumer_key, "another", 60)
    assert apps.authenticate(world, second.consumer_key, "nonce", 60)
    nonces = [key for key in live_keys(world.db) if key.startswith("nonce:")]
    assert len(nonces) == 3 and all(0 < world.db.run(("TTL", key)) <= 60 for key in nonces)


def test_a_suspended_members_apps_are_invalid_until_they_are_restored(world: World) -> None:
    (ann,) = world.people("ann")
    pair = apps.create(world, ann, "reader")
    world.suspend(ann)
    assert apps.find_owner(world.db, pair.consumer_key) is None
    assert apps.authenticate(world, pair.consumer_key, "nonce", 60) is None
    world.refuses(Forbidden, apps.create, ann, "more")
    world.suspend(ann, suspended=False)
    assert apps.find_owner(world.db, pair.consumer_key)
    assert apps.authenticate(world, pair.consumer_key, "nonce", 60)


@pytest.mark.parametrize("action", ["reset", "delete"])
def test_a_password_reset_and_a_deletion_delete_all_apps(action: str, world: World) -> None:
    ann, ben = world.people("ann", "ben")
    pairs = [apps.create(world, ann, f"app {n}") for n in range(3)]
    other = apps.create(world, ben, "other")
    if action == "reset":
        credentials.reset_password(world, ann, "another battery staple")
    else:
        world.delete_account(ann, PASSWORD)
        world.refuses(NotFound, apps.create, ann, "more")
    for pair in pairs:
        assert apps.load(world, pair.consumer_key) is None
        assert apps.find_owner(world.db, pair.consumer_key) is None
        assert apps.authenticate(world, pair.consumer_key, "nonce", 60) is None
    assert apps.list_apps(world.db, ann) == []
    assert not [
        key
        for key in live_keys(world.db)
        if key.startswith(("app:", "apps:")) and f"}}:{ann}" in key
    ]
    assert apps.load(world, other.consumer_key) == other


def test_a_members_own_password_change_leaves_their_apps(world: World) -> None:
    (ann,) = world.people("ann")
    pair = apps.create(world, ann, "reader")
    credentials.change_password(world, ann, PASSWORD, "another battery staple", "")
    assert apps.load(world, pair.consumer_key) == pair


@pytest.mark.parametrize(
    "key",
    ["", "1-", "1-x", "0-" + "0" * 24, "1-" + "0" * 24, "٣-" + "0" * 24, "1-" + "0" * 24 + "\n"],
)
def test_a_forged_key_authenticates_nobody(key: str, world: World) -> None:
    world.people("ann")
    assert apps.load(world, key) is None and apps.find_owner(world.db, key) is None
    assert apps.authenticate(world, key, "nonce", 60) is None
    assert not [name for name in live_keys(world.db) if name.startswith("nonce:")]


# The page


def test_the_page_shows_keys_once_and_revokes_them(member: Callable[[str], FlaskClient]) -> None:
    ann = member("ann")
    created = ann.post("/settings/apps", data={"name": "My reader"})
    assert created.status_code == 201 and created.headers["Cache-Control"] == "no-store"
    consumer_key, consumer_secret, token, token_secret = re.findall(
        r"<dd><code>([\w-]+)</code></dd>", created.text
    )
    page = ann.get("/settings/apps").text
    assert all(text in page for text in ("My reader", consumer_key, token, "Never used"))
    assert consumer_secret not in page and token_secret not in page
    action = f"/settings/apps/{consumer_key}/revoke"
    assert action in page
    member("ben").post(action)
    assert "My reader" in ann.get("/settings/apps").text
    answer = ann.post(action, follow_redirects=True).text
    assert "App revoked." in answer and "You don’t have any apps yet." in answer


@pytest.mark.parametrize("name", ["", " ", "\u200b", "x" * 51])
def test_an_app_needs_a_name(name: str, member: Callable[[str], FlaskClient]) -> None:
    answer = member("ann").post("/settings/apps", data={"name": name})
    assert answer.status_code == 422 and 'id="app-name-error"' in answer.text


def test_too_many_apps_are_refused(
    settings: Config, app: Flask, member: Callable[[str], FlaskClient]
) -> None:
    app.extensions["linnet.config"] = replace(settings, apps_max=1)
    ann = member("ann")
    assert ann.post("/settings/apps", data={"name": "one"}).status_code == 201
    refused = ann.post("/settings/apps", data={"name": "two"})
    assert refused.status_code == 409
    assert "Revoke one first." in refused.text
    assert 'value="two"' in refused.text


def _parts(pair: AppCredentials) -> tuple[str, ...]:
    return pair.consumer_key, pair.consumer_secret, pair.token, pair.token_secret

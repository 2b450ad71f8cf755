"""A member's API apps: creating, sealing, listing, revoking and deleting them."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, People
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from webapp.accounts import lifecycle
from webapp.accounts.sessions import credentials
from webapp.accounts.tokens import apps
from webapp.accounts.tokens import keys as token_keys
from webapp.accounts.tokens.apps import AppCredentials
from webapp.config import BadSetting, Config
from webapp.core.errors import Conflict, Forbidden, NotFound, Unauthorized
from webapp.core.events import keys as event_keys
from webapp.core.net import encryption
from webapp.core.site import Site
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of

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


def event_types(db: Db, uid: int) -> list[str]:
    """Return the types of the events in a partition's outbox."""
    return [
        fields[fields.index("type") + 1]
        for _, fields in db.run(("XRANGE", event_keys.outbox(partition_of(uid)), "-", "+"))
    ]


def test_an_app_is_loaded_by_its_consumer_key_in_one_trip(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    first, second, other = (apps.create(site, uid, "My reader") for uid in (ann, ann, ben))
    before = site.db.trips
    assert apps.load(site, second.consumer_key) == second
    assert site.db.trips - before == 1
    assert apps.load(site, first.consumer_key) == first
    assert apps.load(site, other.consumer_key) == other
    owner = apps.find_owner(site.db, other.consumer_key)
    assert owner and owner.uid == ben
    parts = [part for pair in (first, second, other) for part in _parts(pair)]
    assert len(set(parts)) == len(parts)


def test_no_secret_is_stored_or_logged_in_clear(site: Site, people: People) -> None:
    (ann,) = people("ann")
    pair = apps.create(site, ann, "My reader")
    stored = dump(site.db)
    assert pair.token in stored  # the search works
    for secret in (pair.consumer_secret, pair.token_secret):
        assert len(secret) == 64
        assert secret not in stored and secret.encode().hex() not in stored
        assert secret not in repr(pair)


def test_a_sealed_secret_opens_only_with_its_key_and_for_its_app(
    site: Site, people: People
) -> None:
    (ann,) = people("ann")
    first, second = (apps.create(site, ann, name) for name in ("one", "two"))
    assert apps.load(with_settings(site, secret_key="another"), first.consumer_key) is None
    ids = [pair.consumer_key.partition("-")[2] for pair in (first, second)]
    sealed = site.db.run(("HGET", token_keys.app(ann, ids[0]), "secrets"))
    site.db.run(("HSET", token_keys.app(ann, ids[1]), "secrets", sealed))
    assert apps.load(site, second.consumer_key) is None
    assert apps.load(site, first.consumer_key) == first
    site.db.run(("HSET", token_keys.app(ann, ids[0]), "secrets", sealed[:-3] + "AAA"))
    assert apps.load(site, first.consumer_key) is None


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


def test_concurrent_creations_stop_at_the_apps_limit(site: Site, people: People) -> None:
    (ann,) = people("ann")
    limited = with_settings(site, apps_max=3)

    def attempt(number: int) -> bool:
        try:
            return bool(apps.create(limited, ann, f"app {number}"))
        except Conflict:
            return False

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(attempt, range(50))) == 3
    assert len(apps.list_apps(site.db, ann)) == 3
    assert len([key for key in live_keys(site.db) if key.startswith("app:")]) == 3


def test_a_revoked_app_is_deleted_and_its_streams_are_notified(
    site: Site, people: People, apply_events: Callable[[], None]
) -> None:
    ann, ben = people("ann", "ben")
    other, revoked = (apps.create(site, ann, name) for name in ("other", "revoked"))
    apply_events()
    # A key of another member in the same partition.
    neighbours_key = f"{ann + PARTITIONS}-{revoked.consumer_key.partition('-')[2]}"
    for uid, key in (
        (ben, revoked.consumer_key),
        (ann + PARTITIONS, neighbours_key),
        (ann, neighbours_key),
        (ann, "none"),
    ):
        assert not apps.revoke(site, uid, key)
    assert "signed_out" not in event_types(site.db, ann)
    assert apps.revoke(site, ann, revoked.consumer_key)
    assert event_types(site.db, ann)[-1] == "signed_out"
    assert not apps.revoke(site, ann, revoked.consumer_key)
    assert apps.load(site, revoked.consumer_key) is None
    assert apps.find_owner(site.db, revoked.consumer_key) is None
    assert apps.authenticate(site, revoked.consumer_key, "nonce", 60) is None
    assert [app.id for app in apps.list_apps(site.db, ann)] == [other.consumer_key]


def test_the_list_of_apps_shows_their_last_use(site: Site, people: People) -> None:
    (ann,) = people("ann")
    first, second = (apps.create(site, ann, name) for name in ("one", "two"))
    assert {(app.name, app.token, app.last_used) for app in apps.list_apps(site.db, ann)} == {
        ("one", first.token, None),
        ("two", second.token, None),
    }
    owner = apps.authenticate(site, first.consumer_key, "nonce", 60)
    assert owner and owner.uid == ann
    used = {app.name: app.last_used for app in apps.list_apps(site.db, ann)}
    assert used["one"] and not used["two"]


def test_a_nonce_is_valid_once_per_app(site: Site, people: People) -> None:
    (ann,) = people("ann")
    first, second = (apps.create(site, ann, name) for name in ("one", "two"))

    def attempt(_: int) -> bool:
        try:
            return bool(apps.authenticate(site, first.consumer_key, "nonce", 60))
        except Unauthorized:
            return False

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(attempt, range(50))) == 1
    assert apps.authenticate(site, first.consumer_key, "another", 60)
    assert apps.authenticate(site, second.consumer_key, "nonce", 60)
    nonces = [key for key in live_keys(site.db) if key.startswith("nonce:")]
    assert len(nonces) == 3 and all(0 < site.db.run(("TTL", key)) <= 60 for key in nonces)


def test_a_suspended_members_apps_are_invalid_until_they_are_restored(
    site: Site, people: People
) -> None:
    (ann,) = people("ann")
    pair = apps.create(site, ann, "reader")
    lifecycle.suspend(site, ann)
    assert apps.find_owner(site.db, pair.consumer_key) is None
    assert apps.authenticate(site, pair.consumer_key, "nonce", 60) is None
    with pytest.raises(Forbidden):
        apps.create(site, ann, "more")
    lifecycle.suspend(site, ann, suspended=False)
    assert apps.find_owner(site.db, pair.consumer_key)
    assert apps.authenticate(site, pair.consumer_key, "nonce", 60)


@pytest.mark.parametrize("action", ["reset", "delete"])
def test_a_password_reset_and_a_deletion_delete_all_apps(
    action: str, site: Site, people: People
) -> None:
    ann, ben = people("ann", "ben")
    pairs = [apps.create(site, ann, f"app {n}") for n in range(3)]
    other = apps.create(site, ben, "other")
    if action == "reset":
        credentials.reset_password(site, ann, "another battery staple")
    else:
        lifecycle.delete_account(site, ann, PASSWORD)
        with pytest.raises(NotFound):
            apps.create(site, ann, "more")
    for pair in pairs:
        assert apps.load(site, pair.consumer_key) is None
        assert apps.find_owner(site.db, pair.consumer_key) is None
        assert apps.authenticate(site, pair.consumer_key, "nonce", 60) is None
    assert apps.list_apps(site.db, ann) == []
    assert not [
        key
        for key in live_keys(site.db)
        if key.startswith(("app:", "apps:")) and f"}}:{ann}" in key
    ]
    assert apps.load(site, other.consumer_key) == other


def test_a_members_own_password_change_leaves_their_apps(site: Site, people: People) -> None:
    (ann,) = people("ann")
    pair = apps.create(site, ann, "reader")
    credentials.change_password(site, ann, PASSWORD, "another battery staple", "")
    assert apps.load(site, pair.consumer_key) == pair


@pytest.mark.parametrize(
    "key",
    ["", "1-", "1-x", "0-" + "0" * 24, "1-" + "0" * 24, "٣-" + "0" * 24, "1-" + "0" * 24 + "\n"],
)
def test_a_forged_key_authenticates_nobody(key: str, site: Site, people: People) -> None:
    people("ann")
    assert apps.load(site, key) is None and apps.find_owner(site.db, key) is None
    assert apps.authenticate(site, key, "nonce", 60) is None
    assert not [name for name in live_keys(site.db) if name.startswith("nonce:")]


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


def test_a_visitor_sees_no_apps(client: FlaskClient) -> None:
    assert client.get("/settings/apps").status_code == 303


def _parts(pair: AppCredentials) -> tuple[str, ...]:
    return pair.consumer_key, pair.consumer_secret, pair.token, pair.token_secret

"""Pushes to apps: each notification by itself, as the app chose, until its token ends."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.conftest import PASSWORD, People
from tests.support.concurrently import concurrently
from tests.support.push_scene import PushScene
from tests.support.schema import live_keys
from tests.support.webhook_receiver import Receiver, status
from webapp.accounts import lifecycle
from webapp.accounts.sessions import credentials
from webapp.accounts.tokens import store as tokens
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.notifications import store as notifications
from webapp.notifications.kinds import GATHERED, PROMPT
from webapp.notifications.push import content, devices
from webapp.notifications.push.apps import EVERYBODY, AppChoices
from webapp.notifications.push.devices import PushPreferences
from webapp.statuses import Filter, store as statuses
from webapp.statuses.filters import store as filters
from webapp.statuses.interactions import boosts, likes

EndToken = Callable[[PushScene], object]


def act(scene: PushScene, uid: int, post: int) -> None:
    """Let somebody mention and follow Ann, and like and boost a post of hers."""
    likes.like(scene.site, uid, post)
    boosts.boost(scene.site, uid, post)
    following.follow(scene.site, uid, "ann")
    scene.post("hello @ann", uid)


@pytest.mark.parametrize("is_standard", [True, False])
def test_app_decrypts_what_a_checked_sender_sent(scene: PushScene, is_standard: bool) -> None:
    app = scene.add_app(is_standard=is_standard)
    scene.post("hello @ann")
    assert scene.send() == 1
    [message] = app.app_messages
    [entry] = scene.db.read(notifications.entries_of(scene.ann))
    assert message == {
        "access_token": scene.tokens["app"],
        "preferred_locale": "en",
        "notification_id": entry.created_us,
        "notification_type": "mention",
        "icon": f"http://localhost/avatars/{scene.ben}.png",
        "title": "Ben mentioned you",
        "body": "hello @ann",
    }
    assert scene.send() == 0 and not scene.queued()


def test_each_app_gets_the_types_that_it_asked_for(scene: PushScene) -> None:
    types = ("mention", "favourite", "reblog", "follow")
    apps = {name: scene.add_app(name, [name]) for name in types}
    apps["none"] = scene.add_app("none", ["poll", "status", "update", "admin.report"])
    act(scene, scene.ben, scene.post("a song", scene.ann))
    scene.send()
    found = {
        name: [one["notification_type"] for one in app.app_messages] for name, app in apps.items()
    }
    assert found == {name: [name] for name in types} | {"none": []}


def test_each_app_gets_them_from_those_whom_it_chose(scene: PushScene) -> None:
    following.follow(scene.site, scene.ann, "ben")
    scene.do(following.follow, scene.cid, "ann")
    policies = {"all": {"Ben", "Cid"}, "followed": {"Ben"}, "follower": {"Cid"}, "none": set()}
    apps = {policy: scene.add_app(policy, policy=policy) for policy in policies}
    scene.post("hello @ann", scene.ben)
    scene.post("hello @ann", scene.cid)
    scene.send()
    for policy, names in policies.items():
        titles = {one["title"] for one in apps[policy].app_messages}
        assert titles == {f"{name} mentioned you" for name in names}, policy
    assert scene.queued() == {}


def test_apps_get_each_at_once_and_browsers_gather(scene: PushScene) -> None:
    scene.add_app()
    post = scene.post("a song", scene.ann)
    scene.do(likes.like, scene.ben, post)
    assert scene.pause_of(GATHERED) <= 0
    scene.send()
    scene.add_device()
    scene.do(likes.like, scene.cid, post)
    assert scene.pause_of(GATHERED) > 0


def test_what_devices_get_is_not_what_apps_get(scene: PushScene) -> None:
    app, phone = scene.add_app(), scene.add_device()
    devices.set_preferences(scene.db, scene.ann, {}, PushPreferences(frozenset(["like"]), False))
    scene.post("hello @ann")
    assert scene.queued().keys() == {PROMPT}
    scene.send()
    assert len(app.app_messages) == 1 and phone.messages == []


def test_what_was_read_muted_blocked_filtered_or_removed_is_not_sent(scene: PushScene) -> None:
    app, site, ann = scene.add_app(), scene.site, scene.ann
    filters.save(site, ann, Filter("spoiler", True, ("notifications",), hide=True))
    scene.post("a spoiler for @ann")
    scene.post("hello @ann")
    notifications.mark_all(site.db, ann)
    statuses.delete(site, scene.ben, scene.post("oops @ann"))
    scene.post("hello @ann")
    mutes.mute(site, ann, "ben", hide_notifications=True)
    scene.post("hello @ann", scene.cid)
    blocks.block(site, ann, "cid")
    scene.send()
    assert app.requests == []


def revoke(scene: PushScene) -> None:
    tokens.revoke(scene.site, scene.ann, tokens.sha_of(scene.tokens["app"]))


def change_password(scene: PushScene) -> None:
    new = "another horse battery"
    credentials.change_password(scene.site, scene.ann, PASSWORD, new, "", revoke_tokens=True)


def suspend(scene: PushScene) -> None:
    lifecycle.suspend(scene.site, scene.ann)


def delete(scene: PushScene) -> None:
    lifecycle.delete_account(scene.site, scene.ann, PASSWORD)


@pytest.mark.parametrize("end", [revoke, change_password, suspend, delete])
def test_app_gets_nothing_once_its_token_has_ended(scene: PushScene, end: EndToken) -> None:
    app = scene.add_app()
    scene.post("hello @ann")
    end(scene)
    scene.send()
    assert app.requests == [], "even before the worker has heard of it"
    scene.apply_events()
    assert not [key for key in live_keys(scene.db) if key.startswith(("push_", "due_pushes"))]


def test_many_come_in_order_and_each_once_though_the_service_fails(
    scene: PushScene, people: People, service: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "APP_MESSAGES_MAX", 4)
    app, post = scene.add_app(), scene.post("a song", scene.ann)
    fans = people(*(f"fan{number}" for number in range(7)))
    for fan in fans:
        scene.do(likes.like, fan, post)
    service.responders = [status(201), status(201), status(503), status(201)]
    while scene.send():
        pass
    ids = [one["notification_id"] for one in app.app_messages]
    assert ids.pop(2) == ids[2], "it was tried twice"
    assert len(ids) == len(fans) and ids == sorted(set(ids))


@pytest.mark.parametrize("code", [404, 410])
def test_app_that_has_unsubscribed_goes(scene: PushScene, service: Receiver, code: int) -> None:
    scene.add_app()
    service.responders = [status(code)]
    scene.post("hello @ann")
    scene.send()
    assert scene.db.read(devices.device_shas(scene.ann)) == []


def test_stored_token_is_sealed(scene: PushScene) -> None:
    scene.add_app()
    secret = scene.tokens["app"].rpartition("_")[2]
    keys = [key for key in live_keys(scene.db) if key.startswith("push_device:")]
    stored = [scene.db.run(("HGETALL", key)) for key in keys]
    assert stored and secret not in str(stored)


def test_fifty_subscriptions_of_a_token_at_once_leave_one(scene: PushScene) -> None:
    app = scene.add_app()
    token = scene.tokens["app"]
    subscription = replace(app.subscription, token=token)

    def subscribe(_: int) -> None:
        devices.subscribe(
            *(scene.site, scene.ann, tokens.sha_of(token), subscription),
            site_url="http://localhost",
            locale="en",
            choices=AppChoices(frozenset({"mention"}), EVERYBODY),
        )

    concurrently(subscribe, 50)
    scene.post("hello @ann")
    scene.send()
    assert len(app.app_messages) == 1

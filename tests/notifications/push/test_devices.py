"""Devices: they get what comes after they were added, and go with their session."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.conftest import PASSWORD, People
from tests.support import worker
from tests.support.concurrently import concurrently
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.push_scene import PushScene
from tests.support.push_service import Browser, encode
from tests.support.schema import live_keys
from tests.support.webhook_receiver import Receiver
from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.sessions import credentials, store as sessions
from webapp.core.errors import Conflict, NotFound
from webapp.core.net import vapid, web_push
from webapp.core.net.web_push import BadSubscription, Subscription
from webapp.core.store import Site
from webapp.notifications.push import devices
from webapp.notifications.push.devices import PushPreferences
from webapp.notifications.push.queue import claim
from webapp.notifications.push.worker import send
from webapp.statuses.interactions import likes

EndSessions = Callable[[PushScene, Browser], object]


def log_out(scene: PushScene, browser: Browser) -> None:
    sessions.end(scene.site, scene.cookies[browser.name])


def change_password(scene: PushScene, browser: Browser) -> None:
    credentials.change_password(scene.site, scene.ann, PASSWORD, "another horse battery", "", False)


def sign_out_from_elsewhere(scene: PushScene, browser: Browser) -> None:
    sessions.end_one(scene.site, scene.ann, scene.sha(browser))


def suspend(scene: PushScene, browser: Browser) -> None:
    lifecycle.suspend(scene.site, scene.ann)


def delete(scene: PushScene, browser: Browser) -> None:
    lifecycle.delete_account(scene.site, scene.ann, PASSWORD)


ENDINGS = (log_out, change_password, sign_out_from_elsewhere, suspend, delete)


@pytest.mark.parametrize("end", ENDINGS)
def test_device_goes_with_its_session(scene: PushScene, end: EndSessions) -> None:
    phone = scene.add_device()
    scene.post("hello @ann")
    end(scene, phone)
    assert scene.names() == []
    scene.send()
    assert phone.messages == [], "even before the worker has heard of it"
    scene.apply_events()
    assert not [key for key in live_keys(scene.db) if key.startswith(("push_", "due_pushes"))]


@pytest.mark.parametrize("end", ENDINGS)
def test_worker_removes_devices_without_a_session(scene: PushScene, end: EndSessions) -> None:
    end(scene, scene.add_device())
    scene.apply_events()
    assert not [key for key in live_keys(scene.db) if key.startswith(("push_", "due_pushes"))]


def test_other_devices_stay_when_one_logs_out(scene: PushScene) -> None:
    phone, tablet = scene.add_device(), scene.add_device("tablet")
    log_out(scene, phone)
    scene.apply_events()
    scene.post("hello @ann")
    scene.send()
    assert scene.names() == ["tablet"]
    assert (len(phone.messages), len(tablet.messages)) == (0, 1)


def test_session_that_expired_gets_nothing(scene: PushScene) -> None:
    phone = scene.add_device()
    scene.post("hello @ann")
    scene.db.run(("DEL", account_keys.session(scene.ann, scene.sha(phone))))
    scene.send()
    assert phone.messages == [] and scene.queued() == {}


def test_device_gets_what_comes_after_it_was_added(scene: PushScene) -> None:
    scene.post("before @ann")
    phone = scene.add_device()
    scene.post("after @ann")
    devices.set_preferences(scene.db, scene.ann, {}, PushPreferences(frozenset(["mention"]), True))
    scene.send()
    assert [message["body"] for message in phone.messages] == ["after @ann"]


def test_oldest_device_makes_room(scene: PushScene) -> None:
    scene.config = replace(scene.config, push_devices_max=3)
    for name in ("first", "second", "third", "fourth"):
        scene.add_device(name)
    assert scene.names() == ["fourth", "third", "second"]


def test_subscribing_again_replaces_the_subscription(scene: PushScene) -> None:
    old = scene.add_device()
    scene.cookies["new"] = scene.cookies["phone"]
    new = Browser(old.site_key, old.service, "new")
    scene.subscribe(new)
    scene.post("hello @ann")
    scene.send()
    assert scene.names() == ["new"] and (len(old.messages), len(new.messages)) == (0, 1)


def test_renewed_subscription_gets_what_the_old_one_may_have_missed(scene: PushScene) -> None:
    old = scene.add_device()
    scene.post("hello @ann")
    scene.cookies["new"] = scene.cookies["phone"]
    new = Browser(old.site_key, old.service, "new")
    assert scene.subscribe(new, renewed=True)
    scene.send()
    assert (len(old.messages), len(new.messages)) == (0, 1)
    devices.remove(scene.db, scene.ann, scene.sha(new))
    assert not scene.subscribe(new, renewed=True), "there is nothing to renew"
    log_out(scene, new)
    with pytest.raises(Conflict):
        scene.subscribe(new)


def test_answer_to_a_replaced_subscription_changes_nothing(
    scene: PushScene, service: Receiver
) -> None:
    old = scene.add_device()
    scene.cookies["new"] = scene.cookies["phone"]
    new = Browser(old.site_key, old.service, "new")

    def gone(handler: object) -> None:
        scene.subscribe(new)
        handler.send_response(410)  # type: ignore[attr-defined]
        handler.send_header("Content-Length", "0")  # type: ignore[attr-defined]
        handler.end_headers()  # type: ignore[attr-defined]

    service.responders = [gone]
    scene.post("hello @ann")
    scene.send()
    assert scene.names() == ["new"]


def test_devices_of_others_are_out_of_reach(scene: PushScene) -> None:
    phone = scene.add_device()
    assert not devices.remove(scene.db, scene.ben, scene.sha(phone))
    with pytest.raises(NotFound):
        devices.request_test(scene.db, scene.ben, scene.sha(phone))
    assert scene.names() == ["phone"]


def test_only_subscriptions_that_can_be_sent_to_are_taken(
    scene: PushScene, service: Receiver
) -> None:
    good = Browser("", service).subscription
    https = replace(good, endpoint="https://push.example/x")
    web_push.check(https, allow_private=False)
    web_push.check(replace(https, p256dh=https.p256dh + "="), allow_private=False)
    web_push.check(good, allow_private=True)
    bad = [
        *(good, Subscription("", "", "")),
        replace(https, endpoint="https://push.example:8443/x"),
        replace(https, endpoint="https://ann:secret@push.example/x"),
        replace(https, endpoint="https://push.example/" + "x" * 600),
        replace(https, endpoint="javascript:alert(1)"),
        replace(https, p256dh=""),
        replace(https, p256dh="é" * 87),
        replace(https, p256dh=encode(b"\x04" + b"\x01" * 64)),  # no point of the curve
        replace(https, p256dh="A" * 100_000),
        replace(https, auth=encode(b"short")),
    ]
    for subscription in bad:
        with pytest.raises(BadSubscription):
            web_push.check(subscription, allow_private=False)
    scene.add_device()
    with pytest.raises(BadSubscription):
        scene.config = replace(scene.config, web_push="off")
        scene.add_device("tablet")


def test_nothing_is_queued_while_pushes_are_off(scene: PushScene) -> None:
    scene.add_device()
    scene.config = replace(scene.config, web_push="off")
    worker.drain(scene.site)
    scene.apply_events = lambda: worker.drain(scene.site)
    scene.post("hello @ann")
    assert scene.queued() == {}


def test_stored_subscription_is_sealed(scene: PushScene) -> None:
    phone = scene.add_device()
    stored = [
        scene.db.run(("HGETALL", key))
        for key in live_keys(scene.db)
        if key.startswith("push_device:")
    ]
    assert stored and phone.subscription.endpoint not in str(stored)
    assert phone.subscription.auth not in repr(phone.subscription)


def test_all_processes_derive_the_same_key(scene: PushScene) -> None:
    key = vapid.public_key(scene.config)
    vapid._derive.cache_clear()
    assert vapid.public_key(scene.config) == key
    assert vapid.public_key(replace(scene.config, secret_key="another")) != key


def test_sending_that_dies_between_any_two_trips_is_at_most_repeated(scene: PushScene) -> None:
    partition = scene.ann % 64
    phone = scene.add_device()
    trips = 0
    while True:
        before = len(phone.messages)
        scene.post(f"hello @ann {trips}")
        scene.make_due()
        dying = CrashingDb(scene.db, trips)
        crashed = False
        try:
            for push in claim(dying, partition, 9):
                send(Site(dying, scene.config), push)
        except Crashed:
            crashed = True
        scene.send()
        assert 1 <= len(phone.messages) - before <= 2
        assert len({message["tag"] for message in phone.messages[before:]}) == 1
        assert scene.queued() == {}
        if not crashed:
            assert trips > 2
            return
        trips += 1


def test_fifty_likes_at_the_same_time_are_one_message(scene: PushScene, people: People) -> None:
    phone = scene.add_device()
    fans = people(*(f"fan{number}" for number in range(12)))
    post = scene.post("a song", scene.ann)
    concurrently(lambda number: likes.like(scene.site, fans[number % len(fans)], post), 50)
    scene.apply_events()
    scene.send()
    assert len(phone.messages) == 1
    assert scene.queued() == {}


def test_fifty_subscriptions_at_the_same_time_leave_the_limit(scene: PushScene) -> None:
    limit = 3
    scene.config = replace(scene.config, push_devices_max=limit)
    cookies = [sessions.start(scene.site, scene.ann) for _ in range(50)]
    browser = Browser(vapid.public_key(scene.config), scene.service)
    scene.cookies = {f"device{number}": cookie for number, cookie in enumerate(cookies)}
    concurrently(lambda number: scene.subscribe(replace(browser, name=f"device{number}")), 50)
    assert len(scene.names()) == limit
    kept = [key for key in live_keys(scene.db) if key.startswith("push_device:")]
    assert len(kept) == limit

"""Pushes: what a browser gets, and how the push service's answers are taken."""

from dataclasses import replace
from email.utils import formatdate
from time import time

import pytest

from tests.support import chat
from tests.support.push_scene import PushScene
from tests.support.webhook_receiver import Receiver, drip, status
from webapp.accounts import lifecycle
from webapp.core.store import Db, partition_of
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.notifications import keys as notification_keys, store as notifications
from webapp.notifications.kinds import GATHERED, KINDS, PROMPT, kinds_in_tab
from webapp.notifications.push import devices, keys as push_keys, worker
from webapp.notifications.push.devices import PushPreferences
from webapp.notifications.push.queue import PACES, REFUSALS_MAX
from webapp.statuses import Filter, Visibility, store as statuses
from webapp.statuses.filters import store as filters
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.values.visibility import WIDEST_FIRST

EVERYTHING = list(KINDS)
HOUR_MS = 3_600_000
PAUSE_MAX_MS = 1000 * max(PACES[PROMPT].pause, *worker.RETRY_DELAYS[:2])


def show_content(scene: PushScene, *kinds: str) -> None:
    """Let Ann's devices show everything that these kinds say, by default all kinds."""
    shown = PushPreferences(frozenset(kinds or EVERYTHING), True)
    devices.set_preferences(scene.db, scene.ann, {}, shown)


def test_browser_decrypts_what_a_checked_sender_sent(scene: PushScene) -> None:
    phone = scene.add_device()
    post = scene.post("hello @ann")
    assert scene.send() == 1
    (message,) = phone.messages
    assert message == {
        "title": "Linnet",
        "body": "Someone mentioned you",
        "url": f"/@ben/{post}",
        "tag": f"mention:/@ben/{post}",
        "lang": "en",
    }
    (device,) = scene.devices()
    assert device.last_delivered and not device.error
    assert scene.send() == 0 and not scene.queued()


def test_by_default_nothing_private_is_shown(scene: PushScene) -> None:
    phone = scene.add_device()
    scene.do(following.follow, scene.ann, "ben")
    group = scene.do(chat.group, scene.ben, [scene.ann])
    scene.post("a secret for @ann", visibility=Visibility.MENTIONED)
    chat.send_messages(scene.site, scene.ben, group, "a secret @ann")
    scene.do(following.follow, scene.ben, "ann")
    scene.send()
    expected = {"Someone mentioned you", "Someone mentioned you in a chat", "Someone followed you"}
    assert {message["body"] for message in phone.messages} == expected
    texts = str([{**message, "url": "", "tag": ""} for message in phone.messages])
    assert "secret" not in texts and "Ben" not in texts


def test_members_may_choose_to_see_what_it_says(scene: PushScene) -> None:
    phone, tablet = scene.add_device(), scene.add_device("tablet", locale="zh_Hans_CN")
    show_content(scene)
    scene.post("hello @ann")
    scene.send()
    assert [message["title"] for message in phone.messages] == ["Ben mentioned you"]
    assert [message["body"] for message in phone.messages] == ["hello @ann"]
    assert [message["title"] for message in tablet.messages] == ["Ben 提到了你"]
    scene.post("@ann a long story", cw="spoilers")
    scene.send()
    assert [message["body"] for message in phone.messages[1:]] == ["Warning: spoilers"]


def test_kinds_that_are_off_are_not_sent(scene: PushScene) -> None:
    phone = scene.add_device()
    devices.set_preferences(scene.db, scene.ann, {}, PushPreferences(frozenset({"like"}), False))
    status_id = scene.post("a song", scene.ann)
    scene.post("hello @ann")
    scene.do(likes.like, scene.ben, status_id)
    assert scene.queued().keys() == {GATHERED}
    scene.send()
    assert [message["body"] for message in phone.messages] == ["Someone liked your post"]
    wanted = scene.db.read(devices.preferences(scene.ann))
    assert wanted.kinds == {"like"} and not wanted.shows_content


def test_likes_of_one_post_are_one_message_that_replaces_the_last(scene: PushScene) -> None:
    phone = scene.add_device()
    show_content(scene)
    post = scene.post("a song", scene.ann)
    for uid in (scene.ben, scene.cid):
        likes.like(scene.site, uid, post)
    scene.apply_events()
    scene.send()
    assert [message["title"] for message in phone.messages] == ["Cid and Ben liked your post"]
    assert scene.queued() == {}
    scene.do(likes.unlike, scene.ben, post)
    scene.do(likes.like, scene.ben, post)
    assert scene.pause_of(GATHERED) > PACES[GATHERED].pause / 2, "after a pause"
    scene.send()
    first, second = phone.messages
    assert first["tag"] == second["tag"]
    topics = {request.headers["topic"] for request in phone.requests}
    urgencies = {request.headers["urgency"] for request in phone.requests}
    assert len(topics) == 1 and urgencies == {"low"}


def test_many_notifications_are_one_summary(scene: PushScene) -> None:
    phone = scene.add_device()
    for number in range(5):
        scene.post(f"hello @ann {number}")
    scene.send()
    (message,) = phone.messages
    assert message["body"] == "5 new notifications" and message["url"] == "/notifications"


def is_held_for_the_hour(until: str) -> bool:
    """Return True for the beginning of an hour, or a pause that goes on a little beyond it."""
    return int(until) % HOUR_MS <= PAUSE_MAX_MS


def test_messages_of_an_hour_are_limited(scene: PushScene) -> None:
    phone = scene.add_device()
    scene.post("hello @ann")
    scene.send()
    device = push_keys.push_device(scene.ann, scene.sha(phone))
    hour_max = PACES[PROMPT].hour_max
    scene.db.run(("HSET", device, "prompt:sent", hour_max - 1))
    scene.post("hello again @ann")
    scene.send()
    sent, until = scene.db.run(("HMGET", device, "prompt:sent", "prompt:until"))
    assert int(sent) in (hour_max, 1), "1 if an hour has just begun"
    if int(sent) == hour_max:
        assert is_held_for_the_hour(until)
        scene.post("and again @ann")
        assert scene.queued() == {PROMPT: float(until)}


@pytest.mark.parametrize("code", [403, 500])
def test_failed_messages_count_against_the_hour_too(
    scene: PushScene, service: Receiver, code: int
) -> None:
    phone = scene.add_device()
    service.responders = [status(code)]
    device = push_keys.push_device(scene.ann, scene.sha(phone))
    scene.post("hello @ann")
    scene.send()
    assert scene.db.run(("HGET", device, "prompt:sent")) == "1"
    scene.db.run(("HSET", device, "prompt:sent", PACES[PROMPT].hour_max - 1))
    scene.post("hello again @ann")
    scene.send()
    sent, until = scene.db.run(("HMGET", device, "prompt:sent", "prompt:until"))
    assert int(sent) in (PACES[PROMPT].hour_max, 1), "1 if an hour has just begun"
    assert int(sent) == 1 or is_held_for_the_hour(until)
    (listed,) = scene.devices()
    assert listed.error == f"answer {code}" and not listed.last_delivered


def test_notification_of_an_unknown_kind_is_asked_for_after_a_pause(scene: PushScene) -> None:
    phone = scene.add_device()
    scene.post("hello @ann")
    scene.send()
    key = notification_keys.notifications(scene.ann)
    known, score = scene.db.run(("ZRANGE", key, 0, 0, "WITHSCORES"))
    scene.db.run(("ZADD", key, int(float(score)) + 1, "telepathy" + known))
    entry = f"{scene.ann}:{scene.sha(phone)}:{PROMPT}"
    scene.db.run(("ZADD", push_keys.due_pushes(partition_of(scene.ann)), 0, entry))
    assert scene.send() == 1
    assert scene.pause_of(PROMPT) > PACES[PROMPT].pause / 2
    assert len(phone.messages) == 1


def test_a_notification_that_a_wrong_clock_has_dated_holds_no_other_up(scene: PushScene) -> None:
    phone = scene.add_device()
    ahead = int((time() + 3_600) * 1_000_000)
    key, entry = notification_keys.notifications(scene.ann), f"mention:{scene.ben}:1"
    scene.db.run(("ZADD", key, ahead, entry))
    scene.db.run(("SADD", notification_keys.unread_notifications(scene.ann), entry))
    for count in (1, 2):
        scene.post("hello @ann")
        scene.send()
        assert len(phone.messages) == count and scene.queued() == {}


def test_what_was_read_muted_blocked_or_removed_is_not_sent(scene: PushScene) -> None:
    site = scene.site
    ann = scene.ann
    phone = scene.add_device()
    scene.post("hello @ann")
    notifications.mark_all(site.db, ann)
    scene.send()
    gone = scene.post("hello @ann")
    scene.do(statuses.delete, scene.ben, gone)
    scene.send()
    scene.post("hello @ann")
    mutes.mute(site, ann, "ben", hide_notifications=True)
    scene.send()
    scene.post("hello @ann", scene.cid)
    blocks.block(site, ann, "cid")
    scene.send()
    assert phone.messages == [] and scene.queued() == {}


def test_what_suspended_members_did_is_not_sent(scene: PushScene) -> None:
    phone = scene.add_device()
    scene.post("hello @ann")
    scene.do(lifecycle.suspend, scene.ben)
    scene.send()
    assert phone.messages == []


def test_what_a_filter_hides_is_not_sent_and_what_it_covers_is_not_quoted(scene: PushScene) -> None:
    phone = scene.add_device()
    show_content(scene)
    filters.save(scene.site, scene.ann, Filter("spoiler", True, ("notifications",), hide=True))
    filters.save(scene.site, scene.ann, Filter("ending"))
    scene.post("@ann a Spoiler")
    scene.send()
    assert phone.messages == [] and scene.queued() == {}
    scene.post("@ann an ending")
    scene.post("@ann a song")
    scene.send()
    assert {message["body"] for message in phone.messages} == {"", "@ann a song"}


@pytest.mark.parametrize("code", [404, 410])
def test_device_that_has_unsubscribed_goes(scene: PushScene, service: Receiver, code: int) -> None:
    scene.add_device()
    service.responders = [status(code)]
    scene.post("hello @ann")
    scene.send()
    assert scene.names() == [] and scene.queued() == {}
    scene.post("hello again @ann")
    assert scene.queued() == {}


def test_retry_after_is_respected(scene: PushScene, service: Receiver) -> None:
    phone = scene.add_device()
    service.responders = [
        status(429, **{"Retry-After": "7000"}),
        status(503, **{"Retry-After": formatdate(time() + 9_000, usegmt=True)}),
        status(500),
        status(201),
    ]
    scene.post("hello @ann")
    for least, most in ((6_900, 7_000), (8_900, 9_000), (290, 300)):
        scene.send()
        assert least < scene.pause_of(PROMPT) <= most
        scene.post("a second one for @ann")
        assert least < scene.pause_of(PROMPT) <= most, "a new one is no reason to hurry"
    scene.send()
    assert phone.messages[-1]["body"] == "4 new notifications"
    assert scene.queued() == {}


def test_service_that_always_fails_is_given_up_but_the_next_one_is_tried(
    scene: PushScene, service: Receiver
) -> None:
    phone = scene.add_device()
    service.responders = [status(500)]
    scene.post("hello @ann")
    tries = 0
    while scene.queued():
        tries += 1
        scene.send()
    assert tries == len(worker.RETRY_DELAYS) + 1 == len(phone.requests)
    (device,) = scene.devices()
    assert device.error == "answer 500" and not device.last_delivered
    service.responders = [status(201)]
    scene.post("hello again @ann")
    scene.send()
    (device,) = scene.devices()
    assert device.last_delivered and not device.error


def test_refused_message_is_not_sent_again(scene: PushScene, service: Receiver) -> None:
    phone = scene.add_device()
    service.responders = [status(403)]
    scene.post("hello @ann")
    scene.send()
    assert scene.queued() == {} and len(phone.requests) == 1


@pytest.mark.parametrize("code", [302, 400, 403])
def test_fifth_refusal_in_a_row_removes_a_device(
    scene: PushScene, service: Receiver, code: int
) -> None:
    phone = scene.add_device()
    for codes in ([code] * (REFUSALS_MAX - 1) + [201], [code, 500] * (REFUSALS_MAX - 1) + [code]):
        assert scene.names() == ["phone"]
        for one in codes:
            service.responders = [status(one)]
            scene.post("hello @ann")
            scene.send()
    assert scene.names() == [] and scene.queued() == {}
    count = len(phone.requests)
    scene.post("hello @ann")
    scene.send()
    assert len(phone.requests) == count


def test_service_that_hangs_is_left(
    scene: PushScene, service: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.add_device()
    service.responders = [drip, status(201)]
    scene.post("hello @ann")
    with monkeypatch.context() as patch:
        patch.setattr(worker, "TIMEOUT_SECONDS", 0.2)
        scene.send()
    (device,) = scene.devices()
    assert device.error == "late"
    scene.send()
    (device,) = scene.devices()
    assert device.last_delivered and not device.error


def test_private_addresses_are_refused_at_sending(scene: PushScene, service: Receiver) -> None:
    scene.add_device()
    scene.post("hello @ann")
    scene.send(replace(scene.config, web_push="on"))
    assert service.requests == []
    (device,) = scene.devices()
    assert device.error == "not_public"


def test_another_secret_key_ends_subscriptions(scene: PushScene, service: Receiver) -> None:
    scene.add_device()
    scene.post("hello @ann")
    scene.send(replace(scene.config, secret_key="another"))
    assert service.requests == [] and scene.names() == []


def test_message_that_a_member_asks_for_is_sent_in_its_language(scene: PushScene) -> None:
    phone = scene.add_device(locale="zh_Hans_CN")
    devices.request_test(scene.db, scene.ann, scene.sha(phone))
    scene.send()
    (message,) = phone.messages
    assert message["tag"] == "test" and "Notifications" not in message["body"]
    assert scene.queued() == {}


def test_longest_message_fits_a_push_service(scene: PushScene) -> None:
    phone = scene.add_device()
    show_content(scene)
    scene.post("@ann " + "🐦" * 130)
    scene.do(boosts.boost, scene.ben, scene.post("a song", scene.ann))
    scene.send()
    assert all(len(request.body) < 3_000 for request in phone.requests)
    assert {message["body"][:7] for message in phone.messages} == {"@ann 🐦🐦", "a song"}


def test_pushes_are_no_more_than_the_page_shows(scene: PushScene, db: Db) -> None:
    phone = scene.add_device()
    show_content(scene)
    for visibility in WIDEST_FIRST:
        scene.post(f"{visibility.slug} for @ann", visibility=visibility)
        scene.send()
    page = notifications.page(db, scene.ann, kinds_in_tab("all"), None, 30, False)
    shown = {group.status.text for group in page.items if group.status}
    assert {message["body"] for message in phone.messages} == shown

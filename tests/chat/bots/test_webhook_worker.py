"""The webhook worker: concurrent requests, slow receivers, a killed process."""

import threading
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PASSWORD, People
from tests.support import chat
from tests.support.processes import RunningSite, until
from tests.support.webhook_receiver import Receiver, held, receiving, status
from tests.support.webhook_scene import WebhookScene
from tests.support.worker import in_background
from tests.support.world import World
from webapp.accounts import registration
from webapp.chat.bots import store as bots, webhook_delivery, webhook_worker, webhooks
from webapp.chat.members import membership
from webapp.core.store import Site

pytestmark = pytest.mark.slow


def delivering(site: Site, release: threading.Event) -> AbstractContextManager[threading.Thread]:
    """Run a webhook worker in a thread while the block runs; at its end, set `release`."""
    return in_background(webhook_worker.WebhookDelivery(site).run, release)


def test_slow_receiver_delays_only_its_own_bot(
    scene: WebhookScene, receiver: Receiver, open_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()
    receiver.responders = [held(release, 200)]
    other = bots.create_bot(open_site, scene.ann, "crow", "Crow").uid
    membership.add(open_site, scene.ann, scene.group, [other])
    monkeypatch.setattr(webhook_delivery, "TIMEOUT_SECONDS", 60.0)
    with receiving() as quick:
        webhooks.set_webhook(open_site, other, quick.url)
        scene.send("@jay one", "@jay two", "@jay three")
        with delivering(open_site, release):
            until(lambda: receiver.requests)
            scene.send("@crow one", "@crow two")
            until(lambda: len(quick.requests) == 2)
            assert len(receiver.requests) == 1  # one request at a time
            release.set()
            until(lambda: len(receiver.requests) == 3 and not scene.webhook.waiting)


def test_concurrent_requests_of_a_worker_are_limited(
    scene: WebhookScene, open_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_worker, "REQUESTS_MAX", 2)
    monkeypatch.setattr(webhook_worker, "REQUESTS_PER_OWNER", 9)
    monkeypatch.setattr(webhook_delivery, "TIMEOUT_SECONDS", 60.0)
    many = [bots.create_bot(open_site, scene.ann, f"bot{number}", "Bot").uid for number in range(5)]
    membership.add(open_site, scene.ann, scene.group, many)
    release, lock = threading.Event(), threading.Lock()
    in_progress = maximum = 0

    def answer(handler: Any) -> None:
        nonlocal in_progress, maximum
        with lock:
            in_progress += 1
            maximum = max(maximum, in_progress)
        release.wait(60)
        with lock:
            in_progress -= 1
        status(200)(handler)

    with receiving() as receiver:
        receiver.responders = [answer]
        for bot in many:
            webhooks.set_webhook(open_site, bot, receiver.url)
        scene.send("all of @bot0 @bot1 @bot2 @bot3 @bot4")
        with delivering(open_site, release):
            until(lambda: in_progress == 2)
            release.set()
            until(lambda: len(receiver.requests) == 5)
            assert maximum == 2


def test_concurrent_requests_of_an_owner_are_limited(
    world: World, open_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook_delivery, "TIMEOUT_SECONDS", 60.0)
    monkeypatch.setattr(webhook_worker, "REQUESTS_MAX", 3)
    ann, ben = world.people("ann", "ben")
    release = threading.Event()
    with receiving() as slow_receiver, receiving() as quick:
        slow_receiver.responders = [held(release, 200)]
        many = [bots.create_bot(open_site, ann, f"bot{number}", "Bot").uid for number in range(5)]
        crow = bots.create_bot(open_site, ben, "crow", "Crow").uid
        for bot in (*many, crow):
            receiver = quick if bot == crow else slow_receiver
            webhooks.set_webhook(open_site, bot, receiver.url)
        cid = chat.group(open_site, ben, [*many, crow])
        chat.send_messages(open_site, ben, cid, "all of @bot0 @bot1 @bot2 @bot3 @bot4")
        world.apply_events()
        with delivering(open_site, release):
            until(lambda: len(slow_receiver.requests) == webhook_worker.REQUESTS_PER_OWNER)
            chat.send_messages(open_site, ben, cid, "@crow one", "@crow two")
            world.apply_events()
            until(lambda: len(quick.requests) == 2)
            assert len(slow_receiver.requests) == webhook_worker.REQUESTS_PER_OWNER
            release.set()
            until(lambda: len(slow_receiver.requests) == 5)


@pytest.mark.kill
def test_killed_worker_repeats_its_request(tmp_path: Path) -> None:
    hold = threading.Event()
    with receiving() as receiver:
        receiver.responders = [held(hold, 200), status(200)]
        site = RunningSite(tmp_path, webhook_private=True)
        try:
            first = site.worker()
            scene = WebhookScene(site, members_of(site), site.until_drained, receiver.url)
            chat.send_messages(site, scene.ben, scene.group, "hello @jay")
            until(lambda: receiver.requests, lambda: first.output_tail)
            first.kill()
            hold.set()
            assert scene.webhook.waiting == 1
            scene.make_all_due()
            site.worker()
            until(lambda: scene.webhook.last_delivered)
            assert len(receiver.requests) == 2
            assert len({request.data["delivery"] for request in receiver.requests}) == 1
        finally:
            hold.set()
            site.close()


def members_of(site: RunningSite) -> People:
    """Return a function that signs members up on a site."""
    return lambda *names: [
        registration.sign_up(site, name, name.title(), PASSWORD).uid for name in names
    ]

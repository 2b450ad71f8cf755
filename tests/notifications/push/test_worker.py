"""The worker's thread that sends pushes: at the same time, past slow services, and after a kill."""

import threading
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.support.processes import RunningSite, until
from tests.support.push_scene import PushScene
from tests.support.webhook_receiver import Receiver, held, receiving, status
from tests.support.worker import in_background
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.store import Site
from webapp.notifications.push import worker


def sending_in_background(
    site: Site, release: threading.Event
) -> AbstractContextManager[threading.Thread]:
    """Run a sender in a thread while the block runs; at its end, set `release`."""
    return in_background(worker.PushSender(site).run, release)


def test_slow_service_of_one_member_holds_up_nobody_else(
    scene: PushScene, service: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "TIMEOUT_SECONDS", 60.0)
    monkeypatch.setattr(worker, "REQUESTS_MAX", worker.REQUESTS_PER_MEMBER + 1)
    release, lock = threading.Event(), threading.Lock()
    in_progress = 0

    def slow(handler: Any) -> None:
        nonlocal in_progress
        if handler.path == "/quick":
            return status(201)(handler)
        with lock:
            in_progress += 1
        release.wait(60)
        status(201)(handler)

    service.responders = [slow]
    for number in range(5):
        scene.add_device(f"slow{number}")
    quick = scene.add_device("quick", scene.cid)
    scene.post("hello @ann")
    scene.make_due()
    with sending_in_background(scene.site, release):
        until(lambda: in_progress == worker.REQUESTS_PER_MEMBER)
        scene.post("hello @cid")
        scene.make_due(scene.cid)
        until(lambda: quick.requests)
        assert in_progress == worker.REQUESTS_PER_MEMBER
        release.set()
        until(lambda: len(service.requests) == 6)


def test_two_workers_send_each_message_once(scene: PushScene, service: Receiver) -> None:
    browsers = [scene.add_device(f"device{number}") for number in range(8)]
    scene.post("hello @ann")
    scene.make_due()
    release = threading.Event()
    with sending_in_background(scene.site, release), sending_in_background(scene.site, release):
        until(lambda: not scene.queued())
    assert [len(browser.messages) for browser in browsers] == [1] * len(browsers)


def test_sender_stops_where_pushes_are_off(scene: PushScene, config: Config) -> None:
    off = replace(config, web_push="off")
    with sending_in_background(Site(scene.db, off), threading.Event()) as thread:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.kill
def test_killed_worker_repeats_at_most_its_last_message(tmp_path: Path) -> None:
    hold = threading.Event()
    with receiving() as service:
        service.responders = [held(hold, 201), status(201)]
        site = RunningSite(tmp_path, web_push="private")

        def people(*names: str) -> list[int]:
            return [registration.sign_up(site, name, name.title(), PASSWORD).uid for name in names]

        try:
            first = site.worker()
            scene = PushScene(site, people, site.until_drained, service)
            phone = scene.add_device()
            scene.post("hello @ann")
            until(lambda: phone.requests, lambda: first.output_tail)
            first.kill()
            hold.set()
            assert scene.queued(), "the claim is still there"
            scene.make_due()
            site.worker()
            until(lambda: not scene.queued())
            assert len(phone.messages) == 2
            assert len({message["tag"] for message in phone.messages}) == 1
            (device,) = scene.devices()
            assert device.last_delivered
        finally:
            hold.set()
            site.close()

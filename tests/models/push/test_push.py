"""Compare pushes with a model: devices come and go, services fail, and workers die.

Each device gets every notification that is still there and unread, and no other. A device gets
something twice only after a worker has died.
"""

from dataclasses import replace

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from tests.conftest import PASSWORD, empty_store, long
from tests.support import worker
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.push_scene import PushScene
from tests.support.push_service import Browser
from tests.support.schema import check_schema
from tests.support.state_machines.runs import run_steps
from tests.support.webhook_receiver import Receiver, receiving, status
from tests.support.world import OnSite
from webapp.accounts import registration
from webapp.accounts.sessions import store as sessions
from webapp.config import Config
from webapp.core.store import Site, partition_of
from webapp.core.store.connection import connect
from webapp.notifications import store as notifications
from webapp.notifications.push import devices
from webapp.notifications.push.messages import MESSAGES_MAX
from webapp.notifications.push.queue import claim
from webapp.notifications.push.worker import RETRY_DELAYS, send
from webapp.statuses import store as statuses

DEVICES_MAX = 3
names = st.sampled_from(["phone", "tablet", "laptop", "watch"])


class PushMachine(OnSite, RuleBasedStateMachine):
    """Let devices subscribe and sign out, others mention their member, and workers send."""

    config: Config
    service: Receiver

    @initialize()
    def begin(self) -> None:
        """Begin with an empty store, Ann and Ben."""
        empty_store(self.config)
        self.db = connect(self.config)
        self.service.requests.clear()
        self.scene = PushScene(self.site, self.sign_up, self.apply, self.service)
        self.live: dict[str, Browser] = {}  # by name, the oldest first
        self.due: dict[str, set[str]] = {}  # the tags that each device must still get
        self.posts: list[int] = []
        self.generation = 0
        self.failures = 0

    def sign_up(self, *logins: str) -> list[int]:
        return [
            registration.sign_up(self.site, login, login.title(), PASSWORD).uid for login in logins
        ]

    def apply(self) -> None:
        worker.drain(self.site)

    @rule(name=names)
    def sign_in(self, name: str) -> None:
        """Turn a device on in a new session, perhaps in place of the oldest."""
        self.generation += 1
        name = f"{name}-{self.generation}"
        while len(self.live) >= DEVICES_MAX:
            oldest = next(iter(self.live))
            del self.live[oldest], self.due[oldest]
        self.live[name] = self.scene.add_device(name)
        self.due[name] = set()

    @precondition(lambda self: self.live)
    @rule(data=st.data(), is_applied=st.booleans())
    def sign_out(self, data: st.DataObject, is_applied: bool) -> None:
        """End a session. Nothing is sent to it even before the worker knows."""
        name = data.draw(st.sampled_from(sorted(self.live)))
        sessions.end(self.site, self.scene.cookies[name])
        if is_applied:
            self.apply()
        del self.live[name], self.due[name]

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def turn_off(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.live)))
        assert devices.remove(self.db, self.scene.ann, self.scene.sha(self.live[name]))
        del self.live[name], self.due[name]

    @rule()
    def mention(self) -> None:
        status_id = self.scene.post("hello @ann")
        self.posts.append(status_id)
        for due in self.due.values():
            due.add(f"mention:/@ben/{status_id}")

    @precondition(lambda self: self.posts)
    @rule()
    def delete(self) -> None:
        status_id = self.posts.pop()
        statuses.delete(self.site, self.scene.ben, status_id)
        self.apply()
        for due in self.due.values():
            due.discard(f"mention:/@ben/{status_id}")

    @rule()
    def read_all(self) -> None:
        notifications.mark_all(self.db, self.scene.ann)
        for due in self.due.values():
            due.clear()

    @rule()
    def send(self) -> None:
        """Send everything to devices whose service takes it."""
        self.service.responders = [status(201)]
        self.scene.send()
        for name, due in self.due.items():
            assert self.received(name) == self.expected(due), name
            due.clear()
        self.failures = 0

    @precondition(lambda self: self.failures < len(RETRY_DELAYS))
    @rule(code=st.sampled_from([429, 500, 503]))
    def fail(self, code: int) -> None:
        """Let the service refuse everything for a while."""
        self.service.responders = [status(code)]
        self.scene.make_due()
        for push in claim(self.db, partition_of(self.scene.ann), 9):
            send(self.site, push)
        self.service.requests.clear()
        self.failures += 1

    @rule()
    def unsubscribe_all(self) -> None:
        """Let the browsers that have something to get be gone."""
        self.service.responders = [status(410)]
        self.scene.send()
        self.service.requests.clear()
        for name in [name for name, due in self.due.items() if due]:
            del self.live[name], self.due[name]

    @rule(trips=st.integers(0, 5))
    def die(self, trips: int) -> None:
        """Let a worker die between two trips. What it sent may come again."""
        self.service.responders = [status(201)]
        self.scene.make_due()
        try:
            dying = CrashingDb(self.db, trips)
            for push in claim(dying, partition_of(self.scene.ann), 9):
                send(Site(dying, self.config), push)
                self.due[self.name_of(push.sha)].clear()
        except Crashed:
            pass
        self.service.requests.clear()

    def name_of(self, sha: str) -> str:
        return next(name for name, browser in self.live.items() if self.scene.sha(browser) == sha)

    def received(self, name: str) -> set[str]:
        """Return the tags that a device has got, each once, and forget them."""
        browser = self.live[name]
        tags = [message["tag"] for message in browser.messages]
        assert len(tags) == len(set(tags))
        self.service.requests = [
            one for one in self.service.requests if one.path != f"/{browser.name}"
        ]
        return set(tags)

    def expected(self, due: set[str]) -> set[str]:
        return due if len(due) <= MESSAGES_MAX else {"summary-prompt"}

    def teardown(self) -> None:
        """Send what is left. Then nothing waits, and only live devices are stored."""
        if not hasattr(self, "scene"):
            return
        self.apply()
        self.send()
        assert not self.service.requests, "of devices that are gone"
        assert self.scene.queued() == {}
        assert set(self.scene.names()) == set(self.live)
        check_schema(self.db)
        self.db.close()


@pytest.mark.parametrize("examples", [12, long(30)])
def test_devices_get_exactly_what_is_still_there_and_unread(config: Config, examples: int) -> None:
    is_single_server = "unix" in config.store_url
    config = replace(config, web_push="private", push_devices_max=DEVICES_MAX)
    with receiving() as service:
        machine = type("Machine", (PushMachine,), {"config": config, "service": service})
        run_steps(machine, examples if is_single_server else 6, steps=25)

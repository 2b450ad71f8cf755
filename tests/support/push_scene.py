"""A member with a device whose push service is a test server, and others who act."""

import time
from collections.abc import Collection
from dataclasses import replace

from tests.conftest import ApplyEvents, People
from tests.support.push_service import Browser
from tests.support.webhook_receiver import Receiver
from tests.support.world import Acting, OnSite
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.net import vapid
from webapp.core.store import Site, partition_of
from webapp.core.text.parser import parse
from webapp.notifications.kinds import CLIENT_TYPES
from webapp.notifications.push import apps, devices, keys as push_keys, worker
from webapp.notifications.push.apps import AppChoices
from webapp.statuses import Visibility, store as statuses

HOUR_MS = 3_600_000


class PushScene(OnSite, Acting):
    """Ann, who has devices, Ben and Cid."""

    def __init__(
        self, site: Site, people: People, apply_events: ApplyEvents, service: Receiver
    ) -> None:
        self.db, self.config, self.apply_events, self.service = (
            site.db,
            site.config,
            apply_events,
            service,
        )
        self.ann, self.ben, self.cid = people("ann", "ben", "cid")
        self.cookies: dict[str, str] = {}
        self.tokens: dict[str, str] = {}
        self._posted = 0
        apply_events()

    def add_device(self, name: str = "phone", uid: int = 0, locale: str = "en") -> Browser:
        """Sign a browser in and subscribe it."""
        uid = uid or self.ann
        browser = Browser(vapid.public_key(self.config), self.service, name)
        self.cookies[name] = sessions.start(self.site, uid, self._epoch(uid))
        self.subscribe(browser, uid, locale)
        return browser

    def add_app(
        self,
        name: str = "app",
        alerts: Collection[str] = CLIENT_TYPES.values(),
        policy: str = apps.EVERYBODY,
        is_standard: bool = True,
    ) -> Browser:
        """Subscribe an app of Ann's, which has a token."""
        browser = Browser(vapid.public_key(self.config), self.service, name)
        token = self.tokens[name] = tokens.create(self.site, self.ann, name)
        devices.subscribe(
            self.site,
            self.ann,
            tokens.sha_of(token),
            replace(browser.subscription, token=token, is_standard=is_standard),
            site_url="http://localhost",
            locale="en",
            choices=AppChoices(frozenset(alerts), policy),
        )
        return browser

    def subscribe(
        self, browser: Browser, uid: int = 0, locale: str = "en", renewed: bool = False
    ) -> bool:
        """Subscribe a browser that is signed in."""
        return devices.subscribe(
            self.site,
            uid or self.ann,
            self.sha(browser),
            browser.subscription,
            site_url="http://localhost",
            locale=locale,
            renewed=renewed,
        )

    def sha(self, browser: Browser) -> str:
        """Return the name of a browser's session."""
        return sha_of(self.cookies[browser.name])

    def post(
        self, text: str, uid: int = 0, visibility: Visibility = Visibility.PUBLIC, cw: str = ""
    ) -> int:
        """Post, by default as Ben, and apply the events."""
        self._posted += 1
        status_id = statuses.post(
            self.site,
            uid or self.ben,
            parse(text),
            f"form-{self._posted:08}",
            visibility=visibility,
            cw=cw,
        )
        self.apply_events()
        return status_id

    def make_due(self, *uids: int) -> None:
        """Let pauses and leases run out, by default everybody's."""
        for partition in map(partition_of, uids or (self.ann, self.ben, self.cid)):
            queue = push_keys.due_pushes(partition)
            for entry in self.db.run(("ZRANGE", queue, 0, -1)):
                uid, sha, lane = entry.split(":")
                self.db.run(("ZADD", queue, 0, entry))
                self.db.run(("HDEL", push_keys.push_device(int(uid), sha), f"{lane}:until"))

    def send(self, config: Config | None = None) -> int:
        """Send what is queued, as after a pause. Return to how many devices."""
        self.make_due()
        return worker.PushSender(Site(self.db, config or self.config)).run_due()

    def queued(self) -> dict[str, float]:
        """Return when Ann's devices are due, unix ms, by lane."""
        queue = push_keys.due_pushes(partition_of(self.ann))
        flat = self.db.run(("ZRANGE", queue, 0, -1, "WITHSCORES"))
        return {
            entry.rpartition(":")[2]: float(due)
            for entry, due in zip(flat[::2], flat[1::2], strict=True)
        }

    def pause_of(self, lane: str) -> float:
        """Return in how many seconds a lane is due."""
        return self.queued()[lane] / 1000 - time.time()

    def devices(self) -> list[devices.PushDevice]:
        """Return Ann's devices, the newest first."""
        shas = self.db.read(devices.device_shas(self.ann))
        return self.db.read(devices.list_devices(self.ann, shas))

    def names(self) -> list[str]:
        """Return the names of Ann's devices, the newest first."""
        shas = {sha_of(cookie): name for name, cookie in self.cookies.items()}
        return [shas[device.sha] for device in self.devices()]

    def _epoch(self, uid: int) -> str:
        return str(self.db.run(("HGET", account_keys.user(uid), "epoch")) or "0")

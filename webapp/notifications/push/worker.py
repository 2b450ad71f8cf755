"""The part of a worker that sends pushes, and what it makes of the answers."""

import time
from collections.abc import Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime

from webapp.core.events.leased_work import LeasedWork
from webapp.core.metrics.names import PUSHES
from webapp.core.metrics.recorder import count
from webapp.core.net import encryption, safe_http, web_push
from webapp.core.net.web_push import PushMessage, Subscription
from webapp.core.store import Db, Site

from . import keys, queue
from .apps import purpose
from .content import read_content
from .messages import app_messages, messages, trial_message
from .queue import AGAIN, DONE, GONE, REFUSED, TEST, Push, claim

TIMEOUT_SECONDS = 10.0  # for a whole request
RETRY_DELAYS = (10, 60, 300, 1_200, 3_600, 7_200)  # seconds; after the last nothing is retried
RETRY_AFTER_MAX = 86_400  # longest pause that a push service may ask for, seconds
ENDED = (404, 410)  # the browser has unsubscribed
TRY_AGAIN = (408, 429, *range(500, 600))
REQUESTS_MAX = 8  # devices that one worker sends to
REQUESTS_PER_MEMBER = 2  # of them, of one member: slow push services must not hold up others


def send(site: Site, push: Push) -> None:
    """Send a device its new notifications, and note the outcome."""
    sealed = encryption.unseal(site.config, purpose(push.uid), push.sealed_subscription)
    if sealed is None:  # with the SECRET_KEY, the key that the browser trusts has changed too
        return queue.finish(site.db, push, GONE, error="no_secret")
    subscription = Subscription.load(sealed)
    config = site.config
    # Push services know the key with which the browser subscribed.
    if encryption.needs_previous(config, purpose(push.uid), push.sealed_subscription):
        config = replace(config, secret_key=config.secret_key_previous)
    outgoing, newest_us = _outgoing(site, push, subscription.token)
    for number, message in enumerate(outgoing):
        try:
            response = web_push.send(config, subscription, message, push.site_url, TIMEOUT_SECONDS)
        except safe_http.RequestFailed as error:
            return _fail(site.db, _after(push, outgoing[:number]), str(error), newest_us, number)
        if response.status in ENDED:
            return queue.finish(site.db, push, GONE, error=f"answer {response.status}")
        if not 200 <= response.status < 300:
            return _refused(site.db, _after(push, outgoing[:number]), response, newest_us, number)
    # Without progress a newer notification is of a kind that this version does not know.
    is_paced = outgoing or newest_us <= push.seen_us
    pause = push.pace.pause if is_paced else 0
    queue.finish(site.db, push, DONE, seen_us=newest_us, sent=len(outgoing), delay=pause)


def _outgoing(site: Site, push: Push, token: str) -> tuple[list[PushMessage], int]:
    """Return the messages for a device, and the newest notification that they cover (unix µs)."""
    name = site.config.site_name
    if push.lane == TEST:
        return [trial_message(push.locale, name)], push.seen_us
    content = read_content(site.db, push)
    if push.app:
        return app_messages(content, push, token, name), content.newest_us
    return messages(content, push.lane, push.locale, name), content.newest_us


def _after(push: Push, sent: Sequence[PushMessage]) -> Push:
    """Return a push whose device has had some messages, so that it gets only the others again."""
    seen_us = max([push.seen_us, *(message.seen_us for message in sent)])
    return replace(push, seen_us=seen_us)


def _refused(db: Db, push: Push, response: safe_http.Response, newest_us: int, sent: int) -> None:
    """Try again later where that may help, otherwise give up."""
    error = f"answer {response.status}"
    if response.status in TRY_AGAIN:
        return _fail(db, push, error, newest_us, sent, _retry_after(response.retry_after))
    delay = push.pace.pause
    queue.finish(db, push, REFUSED, seen_us=newest_us, sent=sent, delay=delay, error=error)


def _fail(db: Db, push: Push, error: str, newest_us: int, sent: int, retry_after: int = 0) -> None:
    """Try again later, or give up after the last delay."""
    if push.tries >= len(RETRY_DELAYS) or push.lane == TEST:
        # What was not sent is dropped. Newer notifications are sent after a pause.
        delay = max(push.pace.pause, retry_after)
        return queue.finish(db, push, DONE, seen_us=newest_us, sent=sent, delay=delay, error=error)
    delay = max(RETRY_DELAYS[push.tries], retry_after)
    queue.finish(db, push, AGAIN, seen_us=push.seen_us, sent=sent, delay=delay, error=error)


def _retry_after(header: str) -> int:
    """Return the seconds of a Retry-After header, which may be a date; 0 without one."""
    try:
        if header.isascii() and header.isdigit():
            seconds = int(header[:9])
        else:
            seconds = int(parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0
    return min(max(seconds, 0), RETRY_AFTER_MAX)


class PushSender(LeasedWork[Push]):
    """Sends pushes."""

    name = "push"
    queue = keys.due_pushes

    def __init__(self, site: Site) -> None:
        enabled = site.config.web_push != "off"
        super().__init__(site, REQUESTS_MAX, REQUESTS_PER_MEMBER, enabled=enabled)

    def claim(self, partition: int, busy_owners: Sequence[int]) -> list[Push]:
        """Claim a due device, of none of these members. One trip."""
        return claim(self._site.db, partition, 1, busy_owners)

    def owner_of(self, piece: Push) -> int:
        """Return the uid of the device's member."""
        return piece.uid

    def do(self, piece: Push) -> None:
        """Send a device its due notifications."""
        count(PUSHES)
        send(self._site, piece)

"""One app that is connected: a socket with several streams, or a response with one."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple

from webapp.client_api.callers import find_holder
from webapp.client_api.scopes import allows
from webapp.client_api.streams import NOTIFICATIONS_SCOPE, Stream
from webapp.core.errors import Forbidden, NotFound, Unauthorized, Unavailable
from webapp.core.logs import log
from webapp.core.store import Read, Site
from webapp.notifications.store import newest_us
from webapp.statuses.private_mentions.store import newest_mention
from webapp.streaming.delivery.start import Start, load_follows
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.asgi import Send
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.followed_topics import Home, List
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.hub.page_topics import Nothing, Public, Tag
from webapp.streaming.hub.topics import Topic
from webapp.streaming.log_reader import LogReader

from .app_callers import AppCaller, AppCredentials
from .app_delivery import AppDelivery, AppEvents
from .news_feed import NewsFeed
from .status_batches import StatusBatches

STREAMS_MAX = 20  # of one socket
CHECK_SECONDS = 300.0  # between two looks at the token of a client whose streams are quiet


class Sources(NamedTuple):
    """The parts that streams of one process share."""

    site: Site
    hub: Hub
    log: LogReader
    batches: StatusBatches
    notices: NewsFeed
    conversations: NewsFeed


class AppSession:
    """The streams of one client. Each is a part of the client's connection."""

    def __init__(
        self,
        sources: Sources,
        caller: AppCaller,
        connection: Connection,
        encoder_for: Callable[[Stream], AppEvents],
        send: Send,
    ) -> None:
        """Make a session. `send` takes parts of a body, one an event."""
        self._sources = sources
        self._caller = caller
        self._connection = connection
        self._encoder_for = encoder_for
        self._send = send
        self._tasks: dict[Stream, asyncio.Task[None]] = {}
        sources.hub.set_owner(connection, caller.uid, bot_owner=caller.bot_owner)

    async def run(self, reading: asyncio.Task[None]) -> EndCode:
        """Wait until the client is gone (`reading` is done) or has to go, and return why."""
        try:
            while await self._connection.next_batch(CHECK_SECONDS, reading) is not None:
                self._connection.take_recheck()
                if not await asyncio.to_thread(self._is_allowed):
                    self._connection.close(EndCode.REVOKED)
            return self._connection.end_code
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def open(self, stream: Stream, reading: asyncio.Task[None], is_only: bool = False) -> None:
        """Begin to send a stream. `is_only`: the session ends with it."""
        if stream not in self._tasks and len(self._tasks) < STREAMS_MAX:
            task = asyncio.create_task(self._send_stream(stream, reading))
            self._tasks[stream] = task
            task.add_done_callback(partial(self._on_end, stream, is_only))

    def end(self, stream: Stream) -> None:
        """Send nothing more of a stream."""
        if task := self._tasks.pop(stream, None):
            task.cancel()

    def _on_end(self, stream: Stream, is_only: bool, task: asyncio.Task[None]) -> None:
        """End the session with its only stream, or with one whose client does not read."""
        if self._tasks.get(stream) is not task:
            return
        del self._tasks[stream]
        has_failed = task.cancelled() or task.exception() is not None
        if has_failed and not task.cancelled():
            log.error("a stream of an app has failed", exc_info=task.exception())
        if has_failed or is_only:
            self._connection.close(EndCode.STALLED if has_failed else EndCode.REVOKED)

    async def _send_stream(self, stream: Stream, reading: asyncio.Task[None]) -> None:
        """Send a stream until the client goes, falls behind, or may not read it any more.

        A change of a list or of followed hashtags ends it: it begins again with what they are now.
        """
        code = EndCode.REVOKED
        try:
            while code is EndCode.REVOKED:
                code = await self._send_until_changed(stream, reading)
        except (NotFound, Forbidden, HubFull):
            return  # an app learns nothing of a stream that it may not have
        except Unauthorized:
            code = EndCode.REVOKED
        except Unavailable:
            code = EndCode.SHED  # the client comes back for the rest
        if code:
            self._connection.close(code)

    async def _send_until_changed(self, stream: Stream, reading: asyncio.Task[None]) -> EndCode:
        """Send a stream until it ends, and return why. Raises what admission raises."""
        site, hub, log, batches, *_ = self._sources
        position = hub.position  # first, so that no later change is missed
        uid, topic = self._caller.uid, topic_of(stream, self._caller.uid)
        credentials = AppCredentials(site, self._caller, stream.kind, topic) if uid else None
        with hub.open_connection(is_part=True) as connection, ExitStack() as stack:
            hub.set_owner(connection, uid, bot_owner=self._caller.bot_owner)
            channel = await hub.subscribe(connection, topic, partial(load_follows, site.db, topic))
            if credentials:
                await asyncio.to_thread(credentials.load)
            hub.recheck_since(connection, position)
            encoder = self._encoder_for(stream)
            delivery = AppDelivery(
                *(hub, log, connection, channel, credentials, encoder),
                stream=stream,
                batches=batches,
            )
            if news := self._news_of(stream):
                feed, newest = news
                since = await asyncio.to_thread(site.db.read, newest(uid))
                stack.enter_context(feed.subscribe(connection, uid, since))
            await delivery.run(Start(position), reading, connection.monitored(self._send))
            return connection.end_code or (EndCode.NONE if reading.done() else EndCode.SHED)

    def _news_of(self, stream: Stream) -> tuple[NewsFeed, Callable[[int], Read[int]]] | None:
        """Return the feed of a stream's news that the token allows, and the read of the newest."""
        holder = self._caller.holder
        if stream.kind.name == "direct":
            return self._sources.conversations, newest_mention
        is_members = stream.kind.name in ("user", "user:notification")
        if is_members and holder is not None and allows(holder.scopes, NOTIFICATIONS_SCOPE):
            return self._sources.notices, newest_us
        return None

    def _is_allowed(self) -> bool:
        """Return True unless the client's token has ended. Two trips at most."""
        if not self._caller.token:
            return True
        try:
            find_holder(self._sources.site, self._caller.token)
        except (Unauthorized, Forbidden):
            return False
        except Unavailable:
            return True  # the streams decide by themselves
        return True


def topic_of(stream: Stream, uid: int) -> Topic:
    """Return the topic of a stream for a member, or for a visitor (0)."""
    match stream.kind.name.split(":"), stream.parameter:
        case ["user"], _:
            return Home(uid)
        case ["public", *rest], _ if "remote" not in rest:
            return Public()
        case ["hashtag", *_], str(name):
            return Tag(name)
        case ["list"], int(number):
            return List(uid, number)
    return Nothing()

"""Answer pages that ask for a stream: rights to read it, and its content."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

from webapp.chat.live.rendered_changes import PROGRAM, Reader
from webapp.core.errors import Forbidden, NotFound, RateLimited, Refused, Unauthorized, Unavailable
from webapp.core.media.signatures import signer_of
from webapp.core.store import Db, Site
from webapp.core.web import rate_limits
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility.groups import is_readable_by_all
from webapp.streaming.background import require_open
from webapp.streaming.chats.badges import Badges
from webapp.streaming.chats.chat_delivery import ChatDelivery
from webapp.streaming.chats.open_chats import OpenChats
from webapp.streaming.delivery.delivery import Complete, StreamDelivery
from webapp.streaming.delivery.encoders import PAGE_SSE
from webapp.streaming.delivery.page_credentials import PageCredentials, credential, may_read
from webapp.streaming.delivery.restricted_statuses import RestrictedStatuses
from webapp.streaming.delivery.start import find_start, load_follows
from webapp.streaming.http.asgi import (
    Headers,
    Receive,
    Send,
    disconnect_task,
    end_response,
    respond_error,
    start_response,
)
from webapp.streaming.http.requests import Request
from webapp.streaming.hub import page_topics
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.followed_topics import Home
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.hub.page_topics import Group, Thread
from webapp.streaming.hub.topics import Topic
from webapp.streaming.log_reader import LogReader

from .topic_paths import OWN_HOME, encoder_for, open_chat, page_language, public_address

Run = Callable[[asyncio.Task[None], Send], Awaitable[None]]  # sends a stream until it ends
RETRY_AFTER = (b"retry-after", b"5")
NO_STREAM = "There is no such stream."
CHALLENGE = (b"www-authenticate", b"Bearer")
VISITORS_MAX = 200  # streams of one address, which must not take the places of all others


class PageStreams:
    """The streams of pages in this process."""

    def __init__(
        self, site: Site, hub: Hub, log: LogReader, chats: OpenChats, badges: Badges
    ) -> None:
        self._site = site
        self._hub = hub
        self._log = log
        self._chats = chats
        self._badges = badges
        self._visitors = Counter[str]()  # streams of visitors, by address

    async def serve(self, topic: Topic, request: Request, receive: Receive, send: Send) -> None:
        """Answer a request with a stream, or with a JSON object that says why not."""
        cors = request.cors(self._site.config, is_public=not topic.personal)
        try:
            require_open(self._site)
            with self._hub.open_connection() as connection:
                run = await self._admit(topic, request, connection)
                with self._place(connection, request):
                    monitored_send = connection.monitored(send)
                    content_type = encoder_for(request).content_type
                    await start_response(monitored_send, 200, content_type, *cors)
                    if request.method == "GET":
                        async with disconnect_task(receive) as disconnected:
                            with self._badges.subscribe(connection, connection.uid):
                                await run(disconnected, monitored_send)
                    await end_response(monitored_send)
        except (Refused, HubFull) as error:
            status, sentence, headers = _refusal(error)
            await respond_error(send, status, sentence, *headers, *cors)

    @contextmanager
    def _place(self, connection: Connection, request: Request) -> Iterator[None]:
        """Count a visitor's stream for the address while the block runs. Raises HubFull."""
        own = Counter([request.network(self._site.config)] * (not connection.uid))
        if any(self._visitors[address] >= VISITORS_MAX for address in own):
            raise HubFull
        self._visitors += own
        try:
            yield
        finally:
            self._visitors -= own

    async def _admit(self, topic: Topic, request: Request, connection: Connection) -> Run:
        """Return the function that sends the stream, once its reader is let in.

        Raises Unauthorized, Forbidden, NotFound, RateLimited and Unavailable.
        """
        position = self._hub.position  # first, so that no later change is missed
        credentials = PageCredentials(self._site, request, topic)
        uid = await asyncio.to_thread(credentials.load_viewer)
        if uid is None and (topic.personal or request.token is not None):
            raise _unauthorized(request)
        await asyncio.to_thread(self._count, topic, uid, request)
        if uid:
            self._hub.set_owner(connection, uid, is_page=True, bot_owner=credentials.bot_owner)
        if isinstance(topic, page_topics.Chats):
            self._hub.recheck_since(connection, position)
            encoder = encoder_for(request)
            language = page_language(request, self._site) if encoder is PAGE_SSE else PROGRAM
            reader = Reader(uid or 0, language)
            return ChatDelivery(
                self._chats, connection, credentials, reader, open_chat(request), encoder
            ).run
        if topic == OWN_HOME:
            topic = Home(uid or 0)
        load = partial(load_follows, self._site.db, topic)
        channel = await self._hub.subscribe(connection, topic, load)
        await asyncio.to_thread(_require_readable, self._site.db, topic, uid, request)
        self._hub.recheck_since(connection, position)
        encoder = encoder_for(request)
        delivery = StreamDelivery(
            self._hub,
            self._log,
            connection,
            channel,
            credentials if uid else None,
            encoder,
            complete=None if encoder is PAGE_SSE else self._completer(topic, request),
        )
        start = await find_start(self._hub, self._log, request.resume, position)
        return partial(delivery.run, start)

    def _count(self, topic: Topic, uid: int | None, request: Request) -> None:
        """Count an opened stream, then parse a search. Two trips at most.

        Raises RateLimited, and NotFound for a query that asks for nothing.
        """
        if uid:
            limit = self._site.config.limit_page_streams
            rate_limits.consume(self._site.db, ("page-stream", str(uid), limit))
        if isinstance(topic, page_topics.Search):
            subject = str(uid) if uid else request.network(self._site.config)
            limit = self._site.config.limit_search
            rate_limits.consume(self._site.db, ("search-stream", subject, limit))
            if topic.plan.is_empty:
                raise NotFound("no_stream", NO_STREAM)

    def _completer(self, topic: Topic, request: Request) -> Complete | None:
        """Return the function that adds restricted statuses to messages for a member's program."""
        if not isinstance(topic, Home):
            return None
        make_signer = partial(signer_of, self._site.config, credential(self._site.config, request))
        site_url = public_address(self._site.config)
        return RestrictedStatuses(self._site.db, topic.owner, site_url, make_signer).complete


def _require_readable(db: Db, topic: Topic, viewer: int | None, request: Request) -> None:
    """Check that a viewer may read a list, a group or a thread.

    Called after the subscription: from then on a change of the list ends the stream. Raises
    NotFound, Unauthorized for a visitor to a list, and for a thread Forbidden. Nobody is told of a
    closed group.
    """
    if isinstance(topic, Group) and not db.read(is_readable_by_all(topic.gid)):
        raise NotFound("no_group")
    if isinstance(topic, Thread):
        threads.require_streamable(db, topic.status_id, viewer)
    elif not may_read(db, topic, viewer):
        raise NotFound("no_list") if viewer else _unauthorized(request)


def _unauthorized(request: Request) -> Unauthorized:
    if request.token is not None:
        return Unauthorized("bad_token")
    return Unauthorized("who_are_you", "Sign in first, or send an access token.")


def _refusal(error: Refused | HubFull) -> tuple[int, str, Headers]:
    """Return the status, sentence and headers that answer a refused request."""
    match error:
        case HubFull():
            return 503, "All streams are taken. Try again in a moment.", [RETRY_AFTER]
        case RateLimited() | Unavailable(code="maintenance"):
            retry_after = (b"retry-after", str(error.retry_after).encode())
            return error.status, str(error.sentence), [retry_after]
        case Unavailable():
            return 503, "Our data store does not answer.", [RETRY_AFTER]
        case Unauthorized():
            return error.status, str(error.sentence), [CHALLENGE]
        case Forbidden() | NotFound():
            return error.status, str(error.sentence), []
    raise error

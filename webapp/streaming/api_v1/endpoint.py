"""Answer clients of the streaming API: admission, limits of connections, and the stream."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import orjson

from webapp.accounts.tokens import store as tokens
from webapp.core.errors import Refused, Unavailable
from webapp.core.store import Db, Site
from webapp.streaming.background import require_open
from webapp.streaming.delivery.credentials import CheckedCredentials
from webapp.streaming.delivery.delivery import StreamDelivery
from webapp.streaming.delivery.encoders import JSON_TYPE
from webapp.streaming.delivery.hidden_authors import hidden_authors
from webapp.streaming.delivery.start import Start, find_start
from webapp.streaming.http.asgi import (
    BodyTooLong,
    Headers,
    Receive,
    Scope,
    Send,
    disconnect_task,
    end_response,
    read_body,
    respond,
    start_response,
    with_compression,
)
from webapp.streaming.http.requests import Request
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.log.position import LogPosition
from webapp.streaming.log_reader import LogReader

from . import api
from .api import StreamGrant
from .held_slots import HeldSlots
from .parameter_values import BadParameters
from .stream_request import request_from_scope

BODY_MAX = 262_144  # bytes: room for 5,000 ids, 400 phrases and 25 boxes
SHORT_BODY = 8_192  # bytes of the body of most clients
Sender = int | str  # a member's uid, or a network
# Long bodies in one process of all members or strangers, and of one of them, that are read now.
LONG_BODIES_MAX, SENDER_BODIES_MAX = {int: 256, str: 64}, 8
FULL = "All streams are taken. Try again in a moment."


class ApiEndpoint:
    """The API's streams in this process."""

    def __init__(
        self, site: Site, hub: Hub, log: LogReader, slots: HeldSlots, *, one_by_one: bool = False
    ) -> None:
        """Make an endpoint. `one_by_one`: send each message in its own chunk."""
        self._site = site
        self._hub = hub
        self._log = log
        self._slots = slots
        self._one_by_one = one_by_one
        self._long_bodies = Counter[Sender]()

    async def serve(self, kind: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a stream, or with a JSON object that says why not."""
        request = Request(scope)
        cors = request.cors(self._site.config, is_public=False)
        try:
            require_open(self._site)
            with self._room_for_body(await self._sender_of_long_body(request)):
                body = await self._read_body(receive)
                position = self._hub.position  # first, so that no later change is missed
                stream_request = request_from_scope(self._site.config, scope, body)
                grant = await asyncio.to_thread(api.authorize, self._site, kind, stream_request)
            compressed_send, headers = with_compression(send, scope)
            headers += cors
            if request.method == "HEAD":
                await respond(send, 200, grant.encoder.content_type, b"", *headers)
                return
            with self._hub.open_connection() as connection:
                async with self._slots.hold(connection, grant.caller.holder, grant.slot):
                    delivery = await self._subscribe(grant, connection, position)
                    start = await self._find_start(grant, request, position)
                    monitored_send = connection.monitored(compressed_send)
                    await start_response(monitored_send, 200, grant.encoder.content_type, *headers)
                    async with disconnect_task(receive) as disconnected:
                        count = grant.parameters.count
                        await delivery.run(start, disconnected, monitored_send, count)
                    await end_response(monitored_send)
        except HubFull:
            await _respond_error(send, Unavailable("full", FULL, 5), cors)
        except Refused as error:
            await _respond_error(send, error, cors)

    async def _sender_of_long_body(self, request: Request) -> Sender | None:
        """Return who sends a long body, None for a short one. One trip if there is a token."""
        length = request.headers.get("content-length", "0")
        is_long = not length.isdecimal() or int(length) > SHORT_BODY
        if not is_long and "transfer-encoding" not in request.headers:
            return None
        held = tokens.held(self._site, request.token or "")
        holder = await asyncio.to_thread(self._site.db.read, held) if request.token else None
        member = holder.member if holder else None
        return member.uid if member else request.network(self._site.config)

    @contextmanager
    def _room_for_body(self, sender: Sender | None) -> Iterator[None]:
        """Take a place for a long body while the block runs. Raises HubFull.

        Members have places of their own, so strangers cannot take these.
        """
        if sender is None:
            yield
            return
        bodies, kind = self._long_bodies, type(sender)
        taken = sum(count for one, count in bodies.items() if type(one) is kind)
        if taken >= LONG_BODIES_MAX[kind] or bodies[sender] >= SENDER_BODIES_MAX:
            raise HubFull
        bodies[sender] += 1
        try:
            yield
        finally:
            bodies -= Counter([sender])

    async def _read_body(self, receive: Receive) -> bytes:
        try:
            return await read_body(receive, BODY_MAX, self._site.config.body_deadline)
        except BodyTooLong:
            raise BadParameters(413, f"A form has at most {BODY_MAX:,} bytes.") from None

    async def _subscribe(
        self, grant: StreamGrant, connection: Connection, position: LogPosition
    ) -> StreamDelivery:
        self._hub.set_owner(connection, grant.caller.uid, bot_owner=grant.caller.bot_owner)
        channel = await self._hub.subscribe(connection, grant.topic)
        self._hub.recheck_since(connection, position)
        return StreamDelivery(
            self._hub,
            self._log,
            connection,
            channel,
            ApiCredentials(self._site.db, grant),
            grant.encoder,
            stall_warnings=grant.parameters.stall_warnings,
            one_by_one=self._one_by_one,
        )

    async def _find_start(
        self, grant: StreamGrant, request: Request, position: LogPosition
    ) -> Start:
        count = abs(grant.parameters.count)
        if count:
            return Start(await asyncio.to_thread(self._log.position_before, count, position))
        return await find_start(self._hub, self._log, request.resume, position)


async def _respond_error(send: Send, error: Refused, cors: Headers) -> None:
    status, body, headers = api.error_response(error)
    extra = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await respond(send, status, JSON_TYPE, orjson.dumps(body) + b"\n", *extra, *cors)


class ApiCredentials(CheckedCredentials):
    """The credentials for which a client's stream was granted."""

    def __init__(self, db: Db, grant: StreamGrant) -> None:
        super().__init__(db)
        self._grant = grant
        self.hidden = grant.hidden
        self.mark_checked()

    def _check(self) -> bool:
        caller = self._grant.caller
        valid = caller.recheck(self._grant.required_rights)
        self.hidden = self._db.read(hidden_authors(caller.uid, self._grant.topic))
        self.mark_checked()
        return valid

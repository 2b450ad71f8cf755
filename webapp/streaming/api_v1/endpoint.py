"""Answer clients of the streaming API: admission, limits of connections, and the stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import orjson

from webapp.core.errors import Refused, Unavailable
from webapp.core.logs import log as logger
from webapp.core.site import Site
from webapp.streaming.delivery.delivery import Delivery
from webapp.streaming.delivery.encoders import JSON_TYPE
from webapp.streaming.delivery.start import Start, find_start
from webapp.streaming.end_codes import EndCode
from webapp.streaming.event_log import EventLog
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
)
from webapp.streaming.http.compression import with_compression
from webapp.streaming.http.requests import Request
from webapp.streaming.hub.connection import Connection
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.log.position import LogPosition

from . import api, connection_slots
from .api import StreamGrant
from .api_credentials import ApiCredentials
from .connection_slots import REFRESH_SECONDS, SlotHolder
from .parameter_values import BadParameters
from .stream_request import request_from_scope

BODY_MAX = 262_144  # bytes: room for 5,000 ids, 400 phrases and 25 boxes


@dataclass(frozen=True, slots=True)
class OpenStream:
    """A stream that holds a slot."""

    connection: Connection
    holder: SlotHolder


class ApiEndpoint:
    """The API's streams in this process."""

    def __init__(self, site: Site, hub: Hub, log: EventLog, *, one_by_one: bool = False) -> None:
        """Make an endpoint. `one_by_one`: send each message in its own chunk."""
        self._site = site
        self._hub = hub
        self._log = log
        self._one_by_one = one_by_one
        self._open_streams: dict[str, OpenStream] = {}  # by slot
        self._releases: set[asyncio.Future[None]] = set()

    async def refresh_slots(self) -> None:
        """Refresh the slots of this process for ever, and end the streams that lost theirs."""
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            holders = {slot: stream.holder for slot, stream in self._open_streams.items()}
            if not holders:
                continue
            try:
                lost = await asyncio.to_thread(connection_slots.refresh, self._site.db, holders)
            except Unavailable:
                continue
            self._end_streams(lost)

    async def serve(self, kind: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with a stream, or with a JSON object that says why not."""
        request = Request(scope)
        cors = request.cors(self._site.config, is_public=False)
        try:
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
                async with self._slot(grant, connection):
                    delivery = await self._subscribe(grant, connection, position)
                    start = await self._find_start(grant, request, position)
                    monitored_send = connection.monitored(compressed_send)
                    await start_response(monitored_send, 200, grant.encoder.content_type, *headers)
                    async with disconnect_task(receive) as disconnected:
                        count = grant.parameters.count
                        await delivery.run(start, disconnected, monitored_send, count)
                    await end_response(monitored_send)
        except HubFull:
            full = Unavailable("full", "All streams are taken. Try again in a moment.", 5)
            await _respond_error(send, full, cors)
        except Refused as error:
            await _respond_error(send, error, cors)

    async def wait_for_releases(self) -> None:
        """Wait until the slots of ended streams are released."""
        await asyncio.gather(*self._releases)

    async def _read_body(self, receive: Receive) -> bytes:
        try:
            return await read_body(receive, BODY_MAX, self._site.config.body_deadline)
        except BodyTooLong:
            raise BadParameters(413, f"A form has at most {BODY_MAX:,} bytes.") from None

    @asynccontextmanager
    async def _slot(self, grant: StreamGrant, connection: Connection) -> AsyncIterator[None]:
        """Hold a connection slot while the block runs; streams that lose theirs for it end."""
        stream = OpenStream(connection, grant.caller.holder)
        evicted = await asyncio.to_thread(
            connection_slots.acquire, self._site, stream.holder, grant.slot
        )
        try:
            self._end_streams({slot: _end_code(slot, grant.slot) for slot in evicted})
            self._open_streams[grant.slot] = stream
            yield
        finally:
            if self._open_streams.pop(grant.slot, None):
                self._release(grant.slot, stream.holder)

    async def _subscribe(
        self, grant: StreamGrant, connection: Connection, position: LogPosition
    ) -> Delivery:
        self._hub.set_owner(connection, grant.caller.uid, bot_owner=grant.caller.bot_owner)
        channel = await self._hub.subscribe(connection, grant.topic)
        self._hub.recheck_since(connection, position)
        return Delivery(
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

    def _end_streams(self, lost: Mapping[str, EndCode]) -> None:
        """End the streams that lost their slots, if they are of this process."""
        for slot, code in lost.items():
            stream = self._open_streams.pop(slot, None)
            if stream:
                stream.connection.close(code)

    def _release(self, slot: str, holder: SlotHolder) -> None:
        """Release a slot in a thread, without waiting for it."""
        loop = asyncio.get_running_loop()
        release = loop.run_in_executor(None, self._release_now, slot, holder)
        self._releases.add(release)
        release.add_done_callback(self._releases.discard)

    def _release_now(self, slot: str, holder: SlotHolder) -> None:
        try:
            connection_slots.release(self._site.db, {slot: holder})
        except Unavailable as error:  # the slot times out by itself
            logger.info("a connection slot is left to time out: %r", error)


def _end_code(slot: str, new_slot: str) -> EndCode:
    is_duplicate = connection_slots.asks_for_same(slot, new_slot)
    return EndCode.DUPLICATE if is_duplicate else EndCode.REPLACED


async def _respond_error(send: Send, error: Refused, cors: Headers) -> None:
    status, body, headers = api.error_response(error)
    extra = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await respond(send, status, JSON_TYPE, orjson.dumps(body) + b"\n", *extra, *cors)

"""The streaming API's side of the stream process: who is let in, how many at once, and what is sent to them."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import orjson
from werkzeug.http import parse_accept_header

from webapp.config import Config
from webapp.core.logs import log as logger
from webapp.core.store.client import Db
from webapp.errors import Refused, RequestTimedOut, Unavailable
from webapp.streaming.hub.connection import DUPLICATE, REPLACED, Connection
from webapp.streaming.hub.hub import Hub, HubFull
from webapp.streaming.hub.subscriptions import Topic
from webapp.streaming.log.log import Log
from webapp.streaming.log.messages import LogPosition
from webapp.streaming.pages.credentials import CHECK_SECONDS, load_hidden_until, with_jitter
from webapp.streaming.pages.delivery import Delivery, Send, wait_for_disconnect
from webapp.streaming.pages.requests import Request

from . import api, connection_slots
from .callers import request_from_asgi
from .connection_slots import REFRESH_SECONDS, SlotHolder
from .parameters import BadParameters

Receive = Callable[[], Awaitable[dict[str, Any]]]
Headers = list[tuple[bytes, bytes]]
BODY_MAX = 262_144  # bytes: room for 5,000 ids, 400 phrases and 25 boxes
COMMON_HEADERS: Headers = [
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
# gzip as zlib numbers it, with a window of 8 KB, enough for the last messages, and its memory: 64 KB a client, not 256.
GZIP_WBITS, GZIP_MEM_LEVEL = 16 + 13, 6


class ApiEndpoint:
    """Lets clients of the API in, and keeps their seats."""

    def __init__(self, db: Db, config: Config, hub: Hub, log: Log) -> None:
        self._db, self._config, self._hub, self._log = db, config, hub, log
        self._open_streams: dict[str, tuple[Connection, SlotHolder, Topic]] = {}

    async def refresh_slots(self) -> None:
        """Says again and again that the seats are in use, and ends those that others have taken."""
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            holders = {name: holder for name, (_, holder, _) in self._open_streams.items()}
            try:
                still_held = (
                    await asyncio.to_thread(connection_slots.refresh, self._db, holders)
                    if holders
                    else set()
                )
            except Unavailable:
                continue
            self._end_evicted(holders.keys() - still_held)

    async def serve(self, kind: str, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answers one request: with a stream, or with a JSON object that says why not."""
        cors = Request(scope).cors(self._config)
        try:
            body = await _read_body(receive, self._config.body_deadline)
            request = request_from_asgi(self._config, scope, body)
            position = (
                self._hub.position
            )  # before the caller is looked up: what changes meanwhile is told after it
            grant = await asyncio.to_thread(api.authorize, self._db, self._config, kind, request)
            if scope["method"] == "HEAD":
                _, headers = _with_compression(send, scope)
                await _send_response(send, 200, grant.encoder.content_type, headers + cors)
                return
            with self._hub.open_connection() as connection:
                await self._stream(grant, connection, position, scope, receive, send, cors)
        except ConnectionResetError:
            return
        except HubFull:
            await _send_error(
                send, Refused("full", "All streams are taken. Try again in a moment.", 5), 503, cors
            )
        except (Refused, BadParameters) as error:
            await _send_error(send, error, None, cors)

    async def _stream(
        self,
        grant: api.StreamGrant,
        connection: Connection,
        position: LogPosition,
        scope: dict[str, Any],
        receive: Receive,
        send: Send,
        cors: Headers,
    ) -> None:
        holder = grant.caller.holder
        try:
            evicted = await asyncio.to_thread(
                connection_slots.acquire, self._db, self._config, holder, grant.slot
            )
            self._end_evicted(evicted, grant.topic)
            self._open_streams[grant.slot] = connection, holder, grant.topic
            self._hub.set_owner(connection, grant.caller.uid)
            channel = await self._hub.subscribe(connection, grant.topic, list)
            # A sign-out between the check and the taking of the seat was told to nobody.
            connection.needs_recheck = connection.needs_recheck or self._hub.position != position
            delivery = Delivery(
                self._hub,
                self._log,
                connection,
                channel,
                ApiCredentials(self._db, grant),
                grant.encoder,
                grant.parameters.stall_warnings,
            )
            start = await self._start_position(grant, delivery, scope, position)
            send_body, headers = _with_compression(send, scope)
            await send_body(_response_start(200, grant.encoder.content_type, headers + cors))
            disconnected = asyncio.create_task(wait_for_disconnect(receive))
            try:
                await delivery.run(start, disconnected, send_body, grant.parameters.count)
            finally:
                disconnected.cancel()
            await send_body({"type": "http.response.body", "body": b""})
        finally:
            if self._open_streams.pop(grant.slot, None):
                asyncio.get_running_loop().run_in_executor(
                    None, self._release_slot, grant.slot, holder
                )

    async def _start_position(
        self,
        grant: api.StreamGrant,
        delivery: Delivery,
        scope: dict[str, Any],
        position: LogPosition,
    ) -> LogPosition | None:
        if grant.parameters.count:
            return await asyncio.to_thread(
                self._log.position_before, abs(grant.parameters.count), position
            )
        return await delivery.start_position(Request(scope).resume, position)

    def _end_evicted(self, evicted: Iterable[str], new_topic: Topic | None = None) -> None:
        """Ends the streams that lost their seats. `taker`: what the stream that took them asked for, where that is
        known.
        """
        for slot in evicted:
            if slot in self._open_streams:
                connection, _, topic = self._open_streams.pop(slot)
                connection.close(DUPLICATE if topic == new_topic else REPLACED)

    def _release_slot(self, slot: str, holder: SlotHolder) -> None:
        try:
            connection_slots.release(self._db, {slot: holder})
        except Unavailable as error:  # it is free by itself in half a minute
            logger.info("a seat is left to run out: %r", error)


class ApiCredentials:
    """What an API client came with, looked at again now and then."""

    def __init__(self, db: Db, grant: api.StreamGrant) -> None:
        self._db, self._grant, self._checked = db, grant, with_jitter(time.monotonic())
        self.hidden_until = grant.hidden_until

    async def still_valid(self, recheck: bool) -> bool:
        """Whether it is still good, asked of the store when there is a doubt or much time has passed. A store that does
        not answer leaves things as they were, but not a doubt.
        """
        if not recheck and time.monotonic() - self._checked < CHECK_SECONDS:
            return True
        try:
            valid, self.hidden_until = await asyncio.to_thread(self._recheck)
        except Unavailable:
            return not recheck
        self._checked = with_jitter(time.monotonic())
        return valid

    def _recheck(self) -> tuple[bool, Mapping[int, float]]:
        caller, topic = self._grant.caller, self._grant.topic
        return caller.recheck(self._grant.required_rights), load_hidden_until(
            self._db, caller.uid, topic
        )


async def _read_body(receive: Receive, deadline: float) -> bytes:
    """Raises BadParameters, TooSlow, and ConnectionResetError when the client goes before it has said all."""
    body = bytearray()
    try:
        async with asyncio.timeout(deadline):
            more_body = True
            while more_body:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionResetError
                body += message.get("body", b"")
                more_body = message.get("more_body", False)
                if len(body) > BODY_MAX:
                    raise BadParameters(413, f"A form has at most {BODY_MAX:,} bytes.")
    except TimeoutError:
        raise RequestTimedOut("body_deadline") from None
    return bytes(body)


def _with_compression(send: Send, scope: dict[str, Any]) -> tuple[Send, Headers]:
    """A way to send that compresses, if the client asked for it, and the headers that say so."""
    headers = dict(scope["headers"])
    if not parse_accept_header(headers.get(b"accept-encoding", b"").decode("latin-1"))["gzip"]:
        return send, [(b"vary", b"Accept-Encoding")]
    compressor = zlib.compressobj(wbits=GZIP_WBITS, memLevel=GZIP_MEM_LEVEL)

    async def send_compressed(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body":
            piece = compressor.compress(message["body"])
            piece += compressor.flush(
                zlib.Z_SYNC_FLUSH if message.get("more_body") else zlib.Z_FINISH
            )
            message = {**message, "body": piece}
        await send(message)

    return send_compressed, [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]


async def _send_error(
    send: Send, error: Refused | BadParameters, status: int | None, cors: Headers
) -> None:
    error_status, body, headers = api.error_response(error)
    header_pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await _send_response(
        send,
        status or error_status,
        b"application/json",
        header_pairs + cors,
        orjson.dumps(body) + b"\n",
    )


async def _send_response(
    send: Send, status: int, content_type: bytes, extra: Headers, body: bytes = b""
) -> None:
    """An answer that ends."""
    await send(_response_start(status, content_type, extra))
    await send({"type": "http.response.body", "body": body})


def _response_start(status: int, content_type: bytes, extra: Headers) -> dict[str, Any]:
    return {
        "type": "http.response.start",
        "status": status,
        "headers": [(b"content-type", content_type), *COMMON_HEADERS, *extra],
    }

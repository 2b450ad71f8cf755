"""The streaming API's side of the stream process: who is let in, how many at once, and what is sent to them."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import orjson
from werkzeug.http import parse_accept_header

from ..config import Config
from ..db import Db
from ..errors import Refused, TooSlow, Unavailable
from ..logs import log as logger
from . import api, seats
from .callers import asked_of_asgi
from .delivery import Delivery, Send, until_gone
from .index import Topic
from .log import Log
from .messages import Order
from .parameters import BadParameters
from .requests import Request
from .room import Full, Room
from .seat import DUPLICATE, REPLACED, Seat
from .seats import REFRESH_SECONDS, Holder
from .viewers import CHECK_SECONDS, aged, hidden

Receive = Callable[[], Awaitable[dict[str, Any]]]
Headers = list[tuple[bytes, bytes]]
BODY_MAX = 262_144  # bytes: room for 5,000 ids, 400 phrases and 25 boxes
COMMON: Headers = [
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]
# gzip as zlib numbers it, with a window of 8 KB, enough for the last messages, and its memory: 64 KB a client, not 256.
GZIP, GZIP_MEMORY = 16 + 13, 6


class Desk:
    """Lets clients of the API in, and keeps their seats."""

    def __init__(self, db: Db, config: Config, room: Room, log: Log) -> None:
        self._db, self._config, self._room, self._log = db, config, room, log
        self._held: dict[str, tuple[Seat, Holder, Topic]] = {}

    async def refresh(self) -> None:
        """Says again and again that the seats are in use, and ends those that others have taken."""
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            asked = {name: holder for name, (_, holder, _) in self._held.items()}
            try:
                kept = await asyncio.to_thread(seats.refresh, self._db, asked) if asked else set()
            except Unavailable:
                continue
            self._lose(asked.keys() - kept)

    async def serve(self, kind: str, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answers one request: with a stream, or with a JSON object that says why not."""
        cors = Request(scope).cors(self._config)
        try:
            body = await _body(receive, self._config.body_deadline)
            asked = asked_of_asgi(self._config, scope, body)
            now = self._room.position  # before the caller is looked up: what changes meanwhile is told after it
            wanted = await asyncio.to_thread(api.wanted, self._db, self._config, kind, asked)
            if scope["method"] == "HEAD":
                _, headers = _compressed(send, scope)
                await _whole(send, 200, wanted.framing.content_type, headers + cors)
                return
            with self._room.seat() as seat:
                await self._stream(wanted, seat, now, scope, receive, send, cors)
        except ConnectionResetError:
            return
        except Full:
            await _refuse(send, Refused("full", "All streams are taken. Try again in a moment.", 5), 503, cors)
        except (Refused, BadParameters) as error:
            await _refuse(send, error, None, cors)

    async def _stream(
        self,
        wanted: api.Wanted,
        seat: Seat,
        now: Order,
        scope: dict[str, Any],
        receive: Receive,
        send: Send,
        cors: Headers,
    ) -> None:
        holder = wanted.caller.holder
        try:
            lost = await asyncio.to_thread(seats.take, self._db, self._config, holder, wanted.seat)
            self._lose(lost, wanted.topic)
            self._held[wanted.seat] = seat, holder, wanted.topic
            self._room.belong(seat, wanted.caller.uid)
            audience = await self._room.join(seat, wanted.topic, list)
            # A sign-out between the check and the taking of the seat was told to nobody.
            seat.doubted = seat.doubted or self._room.position != now
            delivery = Delivery(
                self._room,
                self._log,
                seat,
                audience,
                Ticket(self._db, wanted),
                wanted.framing,
                wanted.parameters.stall_warnings,
            )
            start = await self._start(wanted, delivery, scope, now)
            out, headers = _compressed(send, scope)
            await out(_begin(200, wanted.framing.content_type, headers + cors))
            gone = asyncio.create_task(until_gone(receive))
            try:
                await delivery.run(start, gone, out, wanted.parameters.count)
            finally:
                gone.cancel()
            await out({"type": "http.response.body", "body": b""})
        finally:
            if self._held.pop(wanted.seat, None):
                asyncio.get_running_loop().run_in_executor(None, self._leave, wanted.seat, holder)

    async def _start(self, wanted: api.Wanted, delivery: Delivery, scope: dict[str, Any], now: Order) -> Order | None:
        if wanted.parameters.count:
            return await asyncio.to_thread(self._log.back, abs(wanted.parameters.count), now)
        return await delivery.start(Request(scope).resume, now)

    def _lose(self, lost: Iterable[str], taker: Topic | None = None) -> None:
        """Ends the streams that lost their seats. `taker`: what the stream that took them asked for, where that is
        known.
        """
        for name in lost:
            if name in self._held:
                seat, _, topic = self._held.pop(name)
                seat.finish(DUPLICATE if topic == taker else REPLACED)

    def _leave(self, name: str, holder: Holder) -> None:
        try:
            seats.leave(self._db, {name: holder})
        except Unavailable as error:  # it is free by itself in half a minute
            logger.info("a seat is left to run out: %r", error)


class Ticket:
    """What an API client came with, looked at again now and then."""

    def __init__(self, db: Db, wanted: api.Wanted) -> None:
        self._db, self._wanted, self._checked = db, wanted, aged(time.monotonic())
        self.hidden = wanted.hidden

    async def hold(self, doubted: bool) -> bool:
        """Whether it is still good, asked of the store when there is a doubt or much time has passed. A store that does
        not answer leaves things as they were, but not a doubt.
        """
        if not doubted and time.monotonic() - self._checked < CHECK_SECONDS:
            return True
        try:
            held, self.hidden = await asyncio.to_thread(self._look)
        except Unavailable:
            return not doubted
        self._checked = aged(time.monotonic())
        return held

    def _look(self) -> tuple[bool, Mapping[int, float]]:
        caller, topic = self._wanted.caller, self._wanted.topic
        return caller.recheck(self._wanted.needs), hidden(self._db, caller.uid, topic)


async def _body(receive: Receive, deadline: float) -> bytes:
    """Raises BadParameters, TooSlow, and ConnectionResetError when the client goes before it has said all."""
    body = bytearray()
    try:
        async with asyncio.timeout(deadline):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ConnectionResetError
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > BODY_MAX:
                    raise BadParameters(413, f"A form has at most {BODY_MAX:,} bytes.")
    except TimeoutError:
        raise TooSlow("body_deadline") from None
    return bytes(body)


def _compressed(send: Send, scope: dict[str, Any]) -> tuple[Send, Headers]:
    """A way to send that compresses, if the client asked for it, and the headers that say so."""
    headers = dict(scope["headers"])
    if not parse_accept_header(headers.get(b"accept-encoding", b"").decode("latin-1"))["gzip"]:
        return send, [(b"vary", b"Accept-Encoding")]
    squeeze = zlib.compressobj(wbits=GZIP, memLevel=GZIP_MEMORY)

    async def out(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.body":
            piece = squeeze.compress(message["body"])
            piece += squeeze.flush(zlib.Z_SYNC_FLUSH if message.get("more_body") else zlib.Z_FINISH)
            message = {**message, "body": piece}
        await send(message)

    return out, [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]


async def _refuse(send: Send, error: Refused | BadParameters, status: int | None, cors: Headers) -> None:
    given, body, headers = api.refusal(error)
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await _whole(send, status or given, b"application/json", raw + cors, orjson.dumps(body) + b"\n")


async def _whole(send: Send, status: int, kind: bytes, extra: Headers, body: bytes = b"") -> None:
    """An answer that ends."""
    await send(_begin(status, kind, extra))
    await send({"type": "http.response.body", "body": body})


def _begin(status: int, kind: bytes, extra: Headers) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), *COMMON, *extra]}

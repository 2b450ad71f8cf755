"""Replays in the event loop: a member's page that is sent again needs no thread."""

from __future__ import annotations

from webapp.config import Config
from webapp.core.net import proxies
from webapp.core.rendering.replays import KNOWN_REPLIES, PendingReplay, Replays
from webapp.core.store.servers.loop_client import LoopClient

from .wsgi import Environ, WsgiResponse, call


class LoopReplays:
    """Replays for one event loop."""

    def __init__(self, replays: Replays, client: LoopClient, config: Config) -> None:
        self._replays, self._client = replays, client
        self._find = proxies.behind_proxies(replays.find, config)

    async def get(self, environ: Environ) -> WsgiResponse | None:
        """Return the page of a request if it may be sent again. Otherwise a thread makes it.

        That thread finds in the environ what the store has replied.
        """
        pending = self._find(environ.copy(), lambda *_: None)
        if not isinstance(pending, PendingReplay):  # None, or a redirect from http to https
            return None
        replies = await self._client.trip(pending.commands, pending.packed)
        if replies is None:
            return None
        answer = self._replays.answer
        response = call(lambda _, start: answer(pending, replies, start), pending.environ)
        if response is None:
            environ[KNOWN_REPLIES] = pending.known(replies)
        return response

    async def stop(self) -> None:
        """Leave all requests to threads."""
        await self._client.close()

"""Updates of a chat as the stream process renders and sends them."""

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.support.chat import draft, group, key, send_messages
from tests.support.loops import in_loop
from tests.support.streaming.client import client
from tests.support.world import Web, World
from webapp.accounts import registration
from webapp.chat import reading
from webapp.chat.live import hints, updates
from webapp.chat.live.positions import CHANGES_MAX
from webapp.chat.live.rendered_changes import Reader as Viewer, RenderMessages, sse_event
from webapp.chat.messages import sending
from webapp.chat.messages.related import related_to
from webapp.chat.messages.rendering import Renderer
from webapp.chat.models import Card, Chat, Message
from webapp.core.errors import Unavailable
from webapp.core.store import Db
from webapp.core.text.parser import parse
from webapp.core.web.context import site_of
from webapp.statuses.store import post
from webapp.streaming.chats import open_chats
from webapp.streaming.chats.badges import Badges
from webapp.streaming.hub.hub import Hub


def test_catch_up_is_bounded() -> None:
    assert CHANGES_MAX <= 100


def test_message_is_rendered_once_per_language(world: World) -> None:
    ann, ben, kit = world.people("ann", "ben", "kit")
    cid = group(world, ann, [ben, kit])
    send_messages(world, ann, cid, "one", "two")
    rendered: list[tuple[int, str]] = []

    def render(chat: Chat, messages: Sequence[Message], related: Any, language: str) -> list[str]:
        rendered.extend((message.id, language) for message in messages)
        return [f"{message.text} {language}" for message in messages]

    viewers = [Viewer(ann, "en"), Viewer(ben, "en"), Viewer(kit, "zh")]
    first = updates.updates_since(world.db, render, cid, (0, 0), viewers)
    assert first.position == (2, 2)
    assert sorted(rendered) == [(1, "en"), (1, "zh"), (2, "en"), (2, "zh")]
    assert first.events[viewers[0]] is first.events[viewers[1]]
    second = updates.updates_since(world.db, render, cid, first.position, viewers)
    assert second.events == dict.fromkeys(viewers, b"")


def test_readers_whom_a_block_parts_from_a_card_s_author_get_a_rendering_without_it(
    world: World,
) -> None:
    ann, ben, kit, dan, eve = world.people("ann", "ben", "kit", "dan", "eve")
    cid = group(world, ann, [ben, kit, dan])
    song = post(world, eve, parse("a song", 280), "form-0001")
    sending.send(world, ann, cid, draft("see", card=Card(song, eve)), key())
    world.block(ben, "eve")
    world.block(eve, "dan")
    world.mute(kit, "eve")
    renderings = []

    def render(chat: Chat, messages: Sequence[Message], related: Any, language: str) -> list[str]:
        renderings.append(sorted(related.statuses))
        return [f"{message.text} {sorted(related.statuses)}" for message in messages]

    viewers = [Viewer(uid, "en") for uid in (ann, ben, kit, dan)]
    trips = world.db.trips
    events = updates.updates_since(world.db, render, cid, (0, 0), viewers).events
    assert world.db.trips - trips == 2
    assert sorted(renderings) == [[], [song]]
    for_ann, for_ben, for_kit, for_dan = (events[viewer] for viewer in viewers)
    assert for_ann is for_kit and for_ben is for_dan
    assert isinstance(for_ann, bytes) and f"see [{song}]".encode() in for_ann
    assert isinstance(for_ben, bytes) and b"see []" in for_ben


def test_message_that_fails_to_render_does_not_block_others(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    site = site_of(web.app)
    ann = registration.sign_up(site, "ann", "Ann", PASSWORD).uid
    cid = group(site, ann)
    send_messages(site, ann, cid, "one", "two", "three")
    page = site.db.read(reading.open_page(ann, cid, size=9))
    one, two, three = page.messages
    related = site.db.read(related_to(page.messages))
    renderer = Renderer(web.app, "https://linnet.org")
    broken = [one, replace(two, reactions=None), three]  # type: ignore[arg-type]
    for language in ("en", "zh"):
        first, placeholder, last = renderer(page.chat, broken, related, language)
        assert "one" in first and "three" in last
        assert "<li" in placeholder and "two" not in placeholder
        assert 'id="m2"' in placeholder and 'data-message="2"' in placeholder
        assert f' data-by="{ann}"' in placeholder
        assert f'data-at="{two.sent_at:%Y-%m-%dT%H:%M:%S}' in placeholder
    assert caplog.text.count("cannot be rendered") == 1 == caplog.text.count("Traceback")
    send_messages(site, ann, cid, "four")

    def render(chat: Chat, messages: Sequence[Message], related: Any, language: str) -> list[str]:
        broken = [
            replace(message, reactions=None) if message.id == 2 else message  # type: ignore[arg-type]
            for message in messages
        ]
        return renderer(chat, broken, related, language)

    viewer = Viewer(ann, "en")
    events = updates.updates_since(site.db, render, cid, (0, 0), [viewer]).events[viewer]
    assert events and events.count(b"event: message") == 4


class FailingRenderer:
    """Fail a number of times, then render each message as its text."""

    def __init__(self, failure: Exception, times: float) -> None:
        self.failure, self.times, self.tries = failure, times, 0

    def __call__(
        self, chat: Chat, messages: Sequence[Message], related: Any, language: str
    ) -> list[str]:
        self.tries += 1
        if self.tries <= self.times:
            raise self.failure
        return [message.text for message in messages]


def first_batches(
    db: Db, render: RenderMessages, cid: str, *readers: tuple[int, hints.Position]
) -> list[bytes]:
    """Return the first batch that each reader gets from its position in a chat on."""

    async def run() -> list[bytes]:
        registry, hub = open_chats.OpenChats(db, render, Badges(db)), Hub(9, 1 << 20)
        with ExitStack() as stack:
            gone = stack.enter_context(client())
            connections = [stack.enter_context(hub.open_connection()) for _ in readers]
            for connection, (uid, position) in zip(connections, readers, strict=True):
                viewer = Viewer(uid, "en")
                stack.enter_context(registry.subscribe(connection, viewer, cid, position))
            batches = [await connection.next_batch(60, gone) for connection in connections]
        registry.close()
        return [b"".join(message.sse for message in batch or ()) for batch in batches]

    return in_loop(run())


def test_update_that_keeps_failing_is_skipped_with_a_reload(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_chats, "RETRY_SECONDS", 0.001)
    ann, ben = world.people("ann", "ben")
    cid = group(world, ann, [ben])
    send_messages(world, ann, cid, "one", "two")
    broken = FailingRenderer(RuntimeError("no template"), math.inf)
    batches = first_batches(world.db, broken, cid, (ann, (1, 1)), (ben, hints.PAST_END))
    assert batches[0] == batches[1] == sse_event("reload", {}, cid, (2, 2))
    assert broken.tries == open_chats.ATTEMPTS_MAX


def test_unavailable_store_is_retried_without_limit(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_chats, "RETRY_SECONDS", 0.001)
    [ann] = world.people("ann")
    cid = group(world, ann)
    send_messages(world, ann, cid, "one")
    failing = FailingRenderer(Unavailable("store_down"), 3 * open_chats.ATTEMPTS_MAX)
    [batch] = first_batches(world.db, failing, cid, (ann, (0, 0)))
    assert b"event: message" in batch and b"reload" not in batch

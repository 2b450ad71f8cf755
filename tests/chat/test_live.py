"""Open chats hear of everything once and in order, whatever dies meanwhile, and nobody hears what is not theirs."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from flask import Flask

from tests.conftest import PASSWORD
from tests.support.chat import draft, group, key, say
from tests.support.processes import Site, free_port, until
from tests.support.streaming.client import (
    GREETING,
    Reader,
    Scene,
    Sent,
    ask,
    broken_off,
    in_loop,
    marked,
    remaining,
    scene_on,
)
from webapp.accounts import registration
from webapp.accounts.sessions import store as sessions
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.live import hints, presence, updates
from webapp.chat.live.updates import Reader as Viewer
from webapp.chat.live.updates import RenderMessages
from webapp.chat.members import groups, membership
from webapp.chat.messages import reading, sending
from webapp.chat.messages.related import related_to
from webapp.chat.messages.rendering import Renderer
from webapp.chat.models import Chat, Message
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.pubsub import Subscription
from webapp.errors import Unavailable
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.streaming.chats import chats
from webapp.streaming.chats.badges import Badges
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.members import PAGE_CONNECTIONS_MAX

TEXT = re.compile(r'class="message-text[^>]*>(.*?)</p>', re.DOTALL)
HERE = re.compile(r'id="m(\d+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A store for all tests here; empty before each."""
    site = Site(tmp_path_factory.mktemp("chats"))
    yield site
    site.close()


@pytest.fixture
def scene(site: Site) -> Iterator[Scene]:
    """ann, who owns a chat with ben, and a stream process."""
    with scene_on(site) as scene:
        scene.ben = scene.join("ben")
        scene.follow(scene.ben, "ann")  # so that ann need not ask first
        scene.cid = group(site.db, site.config, scene.ann, [scene.ben])
        scene.apply()
        scene.begin()
        yield scene


def listen(
    scene: Scene, uid: int, where: str = "", last: str | None = None, cid: str = "", **headers: str
) -> Reader:
    """A page of the chat that is open; without `where` from its newest message on, as the page says."""
    cid = cid or scene.cid
    where = where or scene.site.db.read(reading.open_page(uid, cid, size=1)).position
    cookie = scene.sign_in(uid)
    return scene.read(
        last, path=f"/stream/chats?chat={cid}&since={where}", headers={**cookie, **headers}
    )


def hear(reader: Reader, kind: str = "message", count: int = 1) -> list[Sent]:
    """So many events of one kind; what else is said is passed over."""
    found: list[Sent] = []
    while len(found) < count:
        sent = reader.next(())
        assert sent, "the stream has ended"
        found += [sent] if sent.event == kind else []
    return found


def hear_who_is_here(reader: Reader, cid: str, uids: list[int]) -> None:
    """That these are, after what was said again of some of them."""
    said = {"chat": cid, "uids": list[int]()}
    while said["uids"] != uids:
        said = hear(reader, "here")[0].data
        assert said["chat"] == cid and set(said["uids"]) <= set(uids)


def heard(reader: Reader, count: int = 1) -> list[tuple[int, str]]:
    """So many messages: their ids and words."""
    return [(sent.data["id"], words(sent)) for sent in hear(reader, "message", count)]


def words(sent: Sent) -> str:
    assert sent.data["chat"] and HERE.search(sent.data["html"])[1] == str(sent.data["id"])  # type: ignore[index]
    found = TEXT.search(sent.data["html"])
    return found[1].strip() if found else ""


def tell(scene: Scene, *texts: str, uid: int = 0) -> list[int]:
    return say(scene.site.db, scene.site.config, uid or scene.ann, scene.cid, *texts)


@marked
def test_every_member_hears_every_message_once_and_in_order(scene: Scene) -> None:
    readers = [listen(scene, uid) for uid in (scene.ann, scene.ben, scene.ben)]
    texts = [f"message {number}" for number in range(40)]
    sent = tell(scene, *texts[:20]) + tell(scene, *texts[20:], uid=scene.ben)
    for reader in readers:
        assert heard(reader, 40) == list(zip(sent, texts, strict=True))
        [mark] = hear(reader, "mark")
        assert (mark.id, reader.last) == (f"{scene.cid}:40.40", f"{scene.cid}:40.40")


@marked
def test_who_comes_back_is_told_what_came_in_between_and_no_more(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    tell(scene, "one", "two")
    assert heard(reader, 2) == [(1, "one"), (2, "two")]
    hear(reader, "mark")
    reader.close()
    tell(scene, "three")
    sending.edit(scene.site.db, scene.site.config, scene.ann, scene.cid, 1, "first")
    again = listen(scene, scene.ben, last=reader.last)
    assert heard(again, 2) == [(1, "first"), (3, "three")]
    hear(again, "mark")
    tell(scene, "four")
    assert heard(again) == [(4, "four")]


@marked
def test_a_killed_stream_process_loses_and_repeats_nothing(scene: Scene) -> None:
    readers = [listen(scene, uid) for uid in (scene.ann, scene.ben)]
    tell(scene, "before")
    for reader in readers:
        assert heard(reader) == [(1, "before")]
        hear(reader, "mark")
    assert scene.program
    scene.program.kill()
    assert [broken_off(reader) for reader in readers] == [[], []]
    texts = [f"meanwhile {number}" for number in range(30)]
    tell(scene, *texts)
    scene.begin()
    for uid, old in zip((scene.ann, scene.ben), readers, strict=True):
        reader = listen(scene, uid, last=old.last)
        tell(scene, f"then {uid}")
        expected = [
            *texts,
            f"then {scene.ann}",
            *([f"then {scene.ben}"] if uid == scene.ben else []),
        ]
        assert [text for _, text in heard(reader, len(expected))] == expected


@marked
def test_what_is_cut_off_in_the_middle_of_a_batch_is_told_again_from_its_beginning(
    scene: Scene,
) -> None:
    tell(scene, *(f"message {number}" for number in range(10)))
    reader = listen(scene, scene.ben, "0.0")
    first = hear(reader, "message", 4)
    reader.close()
    again = listen(scene, scene.ben, last=first[-1].id)
    assert [number for number, _ in heard(again, 10)] == list(range(1, 11))


@marked
def test_a_nudge_that_nobody_heard_loses_nothing(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    tell(scene, "heard")
    assert heard(reader) == [(1, "heard")]
    scene.site.db.on_every_primary("CLIENT", "KILL", "TYPE", "pubsub")
    tell(scene, "unheard")
    assert scene.site.db.on_every_primary("PUBSUB", "NUMSUB", chat_state.CHAT_CHANNEL) == [
        [chat_state.CHAT_CHANNEL, 0]
    ]
    assert heard(reader) == [(2, "unheard")]


@marked
def test_a_store_that_was_killed_is_waited_for(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    tell(scene, "before")
    assert heard(reader) == [(1, "before")]
    scene.site.kill_store()
    scene.site.start_store()
    tell(scene, "after")
    assert heard(reader) == [(2, "after")]


@marked
def test_edits_reactions_and_deletions_replace_the_message_in_open_pages(scene: Scene) -> None:
    db, config = scene.site.db, scene.site.config
    tell(scene, "a worm")
    reader = listen(scene, scene.ben)
    sending.edit(db, config, scene.ann, scene.cid, 1, "a big worm")
    assert heard(reader) == [(1, "a big worm")]
    sending.react(db, config, scene.ben, scene.cid, 1, "🎉", True)
    [reacted] = hear(reader)
    assert "🎉" in reacted.data["html"] and f'data-uids="{scene.ben}"' in reacted.data["html"]
    sending.delete(db, config, scene.ann, scene.cid, 1)
    assert heard(reader) == [(1, "Message deleted")]


@marked
def test_who_is_removed_is_told_so_and_hears_nothing_of_what_comes_after(scene: Scene) -> None:
    readers = {uid: listen(scene, uid) for uid in (scene.ann, scene.ben)}
    tell(scene, "welcome")
    assert heard(readers[scene.ben]) == [(1, "welcome")]
    membership.remove(scene.site.db, scene.site.config, scene.ann, scene.cid, scene.ben)
    tell(scene, "they are gone")
    rest = []
    while sent := readers[scene.ben].next(("mark", "badge", "here", "chat")):
        rest.append((sent.event, sent.data))
    assert rest == [("gone", {"chat": scene.cid})]
    assert heard(readers[scene.ann], 2) == [(1, "welcome"), (2, "they are gone")]
    assert hear(listen(scene, scene.ben, "0.0"), "gone")[0].data == {"chat": scene.cid}


@marked
def test_a_stranger_is_told_nothing_of_a_chat(scene: Scene) -> None:
    tell(scene, "between us")
    kit = scene.join("kit")
    for cid in (scene.cid, "99", direct_id(scene.ann, scene.ben)):
        reader = listen(scene, kit, "0.0", cid=cid)
        told = iter(partial(reader.next, ("badge",)), None)
        assert [sent.event for sent in told if sent] == ["gone"]


@marked
def test_a_newcomer_hears_nothing_of_what_was_before(scene: Scene) -> None:
    db, config = scene.site.db, scene.site.config
    tell(scene, "a secret", "another")
    kit = scene.join("kit")
    membership.add(db, config, scene.ann, scene.cid, [kit])
    old, new = listen(scene, scene.ben), listen(scene, kit)
    sending.react(db, config, scene.ben, scene.cid, 1, "🎉", True)
    assert heard(old) == [(1, "a secret")]
    sending.send(db, config, scene.ann, scene.cid, draft("as I said", reply_to=1), key())
    [quoted], [bare] = hear(old), hear(new)
    assert (quoted.data["id"], bare.data["id"]) == (3, 3)
    assert "a secret" in quoted.data["html"] and "a secret" not in bare.data["html"]


@marked
def test_each_hears_in_the_language_of_their_page(scene: Scene) -> None:
    english, chinese = (
        listen(scene, scene.ann),
        listen(scene, scene.ben, **{"Accept-Language": "zh-CN"}),
    )
    tell(scene, "a worm")
    [one], [other] = hear(english), hear(chinese)
    assert "UTC" in one.data["html"] and "年" not in one.data["html"]
    assert "年" in other.data["html"]


@marked
def test_a_page_that_is_too_far_behind_or_nowhere_reloads(scene: Scene) -> None:
    tell(scene, *(f"message {number}" for number in range(reading.CHANGES_MAX + 1)))
    for where in ("0.0", "7000.9", "nonsense"):
        reader = listen(scene, scene.ben, where)
        [told] = hear(reader, "reload")
        end = reading.CHANGES_MAX + 1
        assert told.id == f"{scene.cid}:{end}.{end}"
    tell(scene, "and on")
    assert heard(reader) == [(end + 1, "and on")]


def test_what_one_reader_is_told_to_catch_up_is_bounded() -> None:
    assert reading.CHANGES_MAX <= 100


@marked
def test_without_a_position_the_stream_begins_now(scene: Scene) -> None:
    tell(scene, "long ago")
    reader = scene.read(path=f"/stream/chats?chat={scene.cid}", headers=scene.sign_in(scene.ben))
    assert hear(reader, "mark")[0].id == f"{scene.cid}:1.1"
    tell(scene, "now")
    assert heard(reader) == [(2, "now")]


@marked
def test_an_unwritten_direct_chat_hears_its_first_message(scene: Scene) -> None:
    cid = direct_id(scene.ann, scene.ben)
    reader = listen(scene, scene.ben, "0.0", cid=cid)
    say(scene.site.db, scene.site.config, scene.ann, cid, "hello you")
    assert heard(reader) == [(1, "hello you")]


@marked
def test_typing_reading_and_being_there_are_told(scene: Scene) -> None:
    db = scene.site.db
    ann = listen(scene, scene.ann)
    assert hear(ann, "here")[0].data == {"chat": scene.cid, "uids": [scene.ann]}
    ben = listen(scene, scene.ben)
    for reader in (ann, ben):
        hear_who_is_here(reader, scene.cid, [scene.ann, scene.ben])
    chat_state.announce_typing(db, scene.ben, scene.cid)
    assert hear(ann, "typing")[0].data == {"chat": scene.cid, "uid": scene.ben, "name": "Ben"}
    tell(scene, "read this")
    chat_state.mark_read(db, scene.ben, scene.cid, 1)
    expected = {"chat": scene.cid, "uid": scene.ben, "name": "Ben", "id": 1}
    assert hear(ann, "seen")[0].data == expected


@marked
def test_who_has_not_accepted_a_request_looks_on_unseen(scene: Scene) -> None:
    db, kit = scene.site.db, scene.join("kit")
    membership.add(db, scene.site.config, scene.ann, scene.cid, [kit])  # whom kit does not follow
    scene.apply()
    listen(scene, kit)
    ann = listen(scene, scene.ann)
    assert hear(ann, "here")[0].data["uids"] == [scene.ann]
    listen(scene, scene.ben)
    hear_who_is_here(ann, scene.cid, [scene.ann, scene.ben])
    chat_state.accept_request(db, kit, scene.cid)
    listen(scene, kit)
    hear_who_is_here(ann, scene.cid, [scene.ann, scene.ben, kit])


@marked
def test_a_change_of_the_chat_is_told(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    groups.change(scene.site.db, scene.site.config, scene.ann, scene.cid, name="Finches")
    assert hear(reader, "chat")[0].data == {"chat": scene.cid}


@marked
@pytest.mark.parametrize(
    "path", ["/stream/home", "/stream/public", "/stream/profile/1", "/stream/chats"]
)
def test_every_page_of_a_member_is_told_how_much_is_unread(scene: Scene, path: str) -> None:
    reader = scene.read(path=path, headers=scene.sign_in(scene.ben))
    assert hear(reader, "badge")[0].data == {
        "all": 0,
        "requests": 0,
        "chats": {},
        "notifications": 0,
    }
    tell(scene, "one", "two")
    scene.apply()
    assert hear(reader, "badge")[-1].data == {
        "all": 2,
        "requests": 0,
        "chats": {scene.cid: 2},
        "notifications": 0,
    }
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, 1)
    assert hear(reader, "badge")[0].data == {
        "all": 1,
        "requests": 0,
        "chats": {scene.cid: 1},
        "notifications": 0,
    }
    again = scene.read(path=path, headers=scene.sign_in(scene.ben))
    assert hear(again, "badge")[0].data == {
        "all": 1,
        "requests": 0,
        "chats": {scene.cid: 1},
        "notifications": 0,
    }


@marked
def test_a_visitor_is_told_of_no_badge(scene: Scene) -> None:
    visitor = scene.read(path="/stream/public")
    tell(scene, "not for you")
    scene.apply()
    [posted] = scene.post("for all")
    sent = visitor.next(())
    assert sent and (sent.event, sent.data["id"]) == ("update", str(posted))


@marked
def test_a_stream_of_chats_asks_for_a_sign_in_and_ends_with_it(scene: Scene) -> None:
    path = f"/stream/chats?chat={scene.cid}&since=0.0"
    cookie = scene.sign_in(scene.ben)
    assert ask(scene.port, path)[0] == 401
    foreign = {**cookie, "Origin": "https://elsewhere.example"}
    status, headers, _ = ask(scene.port, path, headers=foreign)
    assert (status, headers["Access-Control-Allow-Origin"]) == (401, None)
    for nonsense in (
        "/stream/chats?chat=0",
        "/stream/chats?chat=7-3",
        "/stream/chats?chat=",
        "/stream/chats/3",
    ):
        assert ask(scene.port, nonsense, headers=cookie)[0] == 404
    position = scene.site.db.read(reading.open_page(scene.ben, scene.cid, size=1)).position
    reader = scene.read(path=f"/stream/chats?chat={scene.cid}&since={position}", headers=cookie)
    tell(scene, "hello")
    assert heard(reader) == [(1, "hello")]
    sessions.end(scene.site.db, scene.site.config, cookie["Cookie"].partition("linnet=")[2])
    scene.apply()
    tell(scene, "after")
    assert "message" not in [sent.event for sent in remaining(reader)]


@marked
def test_a_member_whose_pages_open_streams_too_often_is_told_when_to_come_back(
    scene: Scene,
) -> None:
    port = free_port()
    scene.site.stream(port, limit_page_streams="2/60")
    ann, ben = scene.sign_in(scene.ann), scene.sign_in(scene.ben)
    paths = (
        f"/stream/chats?chat={scene.cid}&since=0.0",
        "/stream/home",
        "/stream/public",
        "/stream/chats",
    )
    answers = [ask(port, path, "HEAD", ann) for path in paths]
    assert [status for status, *_ in answers] == [200, 200, 429, 429]
    assert all(0 < int(headers["Retry-After"]) <= 60 for _, headers, _ in answers[2:])
    assert (
        ask(port, "/stream/home", "HEAD", ben)[0] == ask(port, "/stream/public", "HEAD")[0] == 200
    )


@marked
def test_two_stream_processes_tell_the_same(scene: Scene) -> None:
    port = free_port()
    scene.site.stream(port)
    one = listen(scene, scene.ann)
    hear(one, "here")
    path = f"/stream/chats?chat={scene.cid}&since=0.0"
    two = Reader(port, path=path, headers=scene.sign_in(scene.ben))
    scene.readers.append(two)
    assert two.block() == GREETING
    everybody = [scene.ann, scene.ben]
    for reader in (one, two):
        until(lambda reader=reader: hear(reader, "here")[0].data["uids"] == everybody)
    texts = [f"message {number}" for number in range(10)]
    tell(scene, *texts)
    for reader in (one, two):
        assert [text for _, text in heard(reader, 10)] == texts


def test_a_message_is_rendered_once_for_all_who_see_the_same(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    ann, ben, kit = people("ann", "ben", "kit")
    cid = group(db, config, ann, [ben, kit])
    say(db, config, ann, cid, "one", "two")
    rendered: list[tuple[int, str]] = []

    def render(chat: Chat, messages: Sequence[Message], known: Any, language: str) -> list[str]:
        rendered.extend((message.id, language) for message in messages)
        return [f"{message.text} {language}" for message in messages]

    viewers = [Viewer(ann, "en"), Viewer(ben, "en"), Viewer(kit, "zh")]
    look = updates.updates_since(db, render, cid, (0, 0), viewers)
    assert look.position == (2, 2)
    assert sorted(rendered) == [(1, "en"), (1, "zh"), (2, "en"), (2, "zh")]
    assert look.events[viewers[0]] is look.events[viewers[1]]
    assert updates.updates_since(db, render, cid, look.position, viewers).events == dict.fromkeys(
        viewers, b""
    )


def test_a_message_that_cannot_be_rendered_holds_back_no_other(
    app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    db, config = app.extensions["linnet.db"], app.extensions["linnet.config"]
    ann = registration.sign_up(db, config, "ann", "Ann", PASSWORD).uid
    cid = group(db, config, ann)
    say(db, config, ann, cid, "one", "two", "three")
    opened = db.read(reading.open_page(ann, cid, size=9))
    one, two, three = opened.messages
    known = db.read(related_to(opened.messages))
    renderer = Renderer(app, "https://linnet.org")
    broken = [one, replace(two, reactions=None), three]  # type: ignore[arg-type]
    for language in ("en", "zh"):
        first, instead, last = renderer(opened.chat, broken, known, language)
        assert "one" in first and "three" in last
        needed = (
            'id="m2"',
            'data-message="2"',
            f' data-by="{ann}"',
            f'data-at="{two.sent_at:%Y-%m-%dT%H:%M:%S}',
        )
        assert all(part in instead for part in needed) and "<li" in instead and "two" not in instead
    assert caplog.text.count("cannot be rendered") == 1 == caplog.text.count("Traceback")
    say(db, config, ann, cid, "four")

    def render(chat: Chat, messages: Sequence[Message], known: Any, language: str) -> list[str]:
        spoiled = [replace(one, reactions=None) if one.id == 2 else one for one in messages]  # type: ignore[arg-type]
        return renderer(chat, spoiled, known, language)

    told = updates.updates_since(db, render, cid, (0, 0), [Viewer(ann, "en")]).events[
        Viewer(ann, "en")
    ]
    assert told and told.count(b"event: message") == 4


class Failing:
    """Renders after having failed so often."""

    def __init__(self, failure: Exception, times: float) -> None:
        self.failure, self.times, self.tries = failure, times, 0

    def __call__(
        self, chat: Chat, messages: Sequence[Message], known: Any, language: str
    ) -> list[str]:
        self.tries += 1
        if self.tries <= self.times:
            raise self.failure
        return [message.text for message in messages]


def told_in_process(
    db: Db, render: RenderMessages, cid: str, *readers: tuple[int, hints.Position]
) -> list[bytes]:
    """What seats at some positions of a chat are told first, in this process."""

    async def told() -> list[bytes]:
        open_chats, room, gone = (
            chats.Chats(db, render, Badges(db)),
            Hub(9, 1 << 20),
            asyncio.Event(),
        )
        staying = asyncio.create_task(gone.wait())
        with ExitStack() as stack:
            seats = [stack.enter_context(room.open_connection()) for _ in readers]
            for seat, (uid, at) in zip(seats, readers, strict=True):
                stack.enter_context(open_chats.subscribe(seat, Viewer(uid, "en"), cid, at))
            found = [await seat.next_batch(60, staying) for seat in seats]  # type: ignore[arg-type]
        open_chats.close()
        staying.cancel()
        return [b"".join(message.sse for message in messages or ()) for messages in found]

    return in_loop(told())


def test_what_cannot_be_told_is_passed_over_after_a_few_tries(
    db: Db, config: Config, people: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chats, "RETRY_SECONDS", 0.001)
    ann, ben = people("ann", "ben")
    cid = group(db, config, ann, [ben])
    say(db, config, ann, cid, "one", "two")
    broken = Failing(RuntimeError("no template"), math.inf)
    told = told_in_process(db, broken, cid, (ann, (1, 1)), (ben, hints.PAST_END))
    assert told[0] == told[1] == updates.sse_event("reload", {}, cid, (2, 2))
    assert broken.tries == chats.ATTEMPTS_MAX


def test_a_store_that_does_not_answer_is_waited_for_however_long(
    db: Db, config: Config, people: Callable[..., list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chats, "RETRY_SECONDS", 0.001)
    [ann] = people("ann")
    cid = group(db, config, ann)
    say(db, config, ann, cid, "one")
    [told] = told_in_process(
        db, Failing(Unavailable("store_down"), 3 * chats.ATTEMPTS_MAX), cid, (ann, (0, 0))
    )
    assert b"event: message" in told and b"reload" not in told


def test_a_member_has_so_many_page_streams_in_a_process_and_the_oldest_go() -> None:
    async def seated() -> None:
        room = Hub(PAGE_CONNECTIONS_MAX + 9, 1 << 20)
        with ExitStack() as stack:
            wren, finch, client, *pages = [
                stack.enter_context(room.open_connection()) for _ in range(PAGE_CONNECTIONS_MAX + 5)
            ]
            room.set_owner(finch, 4, is_page=True)
            room.set_owner(client, 3)
            room.set_owner(wren, 3, is_page=True)
            for page in pages[: PAGE_CONNECTIONS_MAX - 1]:
                room.set_owner(page, 3, is_page=True)
            assert not wren.ended
            for page in pages[PAGE_CONNECTIONS_MAX - 1 :]:
                room.set_owner(page, 3, is_page=True)
            assert [seat.ended for seat in (wren, *pages)] == [True] * 3 + [
                False
            ] * PAGE_CONNECTIONS_MAX
            assert not client.ended and not finch.ended

    in_loop(seated())


def test_of_two_who_block_neither_is_told_that_the_other_is_there(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    ann, ben, kit = people("ann", "ben", "kit")
    direct, other, cid = direct_id(ann, ben), direct_id(ann, kit), group(db, config, ann, [ben])
    following.follow(db, config, ben, "ann")
    following.follow(db, config, kit, "ann")
    for chat in (direct, other):
        say(db, config, ann, chat, "hello")
    channel = Subscription(db, chat_state.CHAT_CHANNEL)
    try:
        until(lambda: channel.wait(1).missed)
        present = [(direct, ann), (direct, ben), (cid, ben), (other, ann)]
        presence.announce_presence(db, present)
        assert heard_presence(channel, 4) == present
        blocks.block(db, config, ben, "ann")
        presence.announce_presence(db, present)
        assert heard_presence(channel, 2) == [(cid, ben), (other, ann)]
        blocks.unblock(db, config, ben, "ann")
        blocks.block(db, config, ann, "ben")
        presence.announce_presence(db, present)
        assert heard_presence(channel, 2) == [(cid, ben), (other, ann)]
    finally:
        channel.close()


def heard_presence(channel: Subscription, count: int) -> list[tuple[str, int]]:
    """So many words of who is where, at least."""
    found: list[tuple[str, int]] = []
    while len(found) < count:
        nudges = map(hints.parse_hint, channel.wait(5).messages)
        found += [(nudge.cid, *nudge.args) for nudge in nudges if nudge.kind == "p"]  # type: ignore[misc]
    return found


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("12:57.80", (57, 80)),
        ("57.80", (57, 80)),
        ("0.0", (0, 0)),
        ("13:57.80", None),
        ("57", None),
        ("57-80", None),
        ("", None),
        ("a.b", None),
        ("²." + "3", None),
        ("1." + "9" * 40, None),
    ],
)
def test_a_position_is_read_as_it_is_written_and_for_its_chat_alone(
    text: str, position: Any
) -> None:
    assert hints.parse_position(text, "12") == position

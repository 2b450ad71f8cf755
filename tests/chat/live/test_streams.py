"""Streams of open chats: every message once and in order, to members only."""

import re
from collections.abc import Iterator
from functools import partial

import pytest

from tests.support.chat import draft, group, key, send_messages
from tests.support.processes import RunningSite, free_port, until
from tests.support.streaming.client import (
    GREETING,
    PROCESSES,
    Reader,
    Scene,
    Sent,
    read_to_end,
    read_until_broken,
    scene_on,
    send_request,
)
from webapp.accounts.sessions import store as sessions
from webapp.chat import reading
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.live.positions import CHANGES_MAX
from webapp.chat.members import group_chats, membership
from webapp.chat.messages import sending
from webapp.core.store import Site
from webapp.statuses.interactions import likes

pytestmark = PROCESSES
TEXT = re.compile(r'class="message-text[^>]*>(.*?)</p>', re.DOTALL)
MESSAGE_ID = re.compile(r'id="m(\d+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """One store for the tests of this module, empty before each."""
    site = RunningSite(tmp_path_factory.mktemp("chats"))
    yield site
    site.close()


@pytest.fixture
def scene(site: RunningSite) -> Iterator[Scene]:
    """A stream process and a group that ann owns and ben belongs to."""
    with scene_on(site) as scene:
        scene.ben = scene.join("ben")
        scene.follow(scene.ben, "ann")  # so that the group is no request
        scene.cid = group(site, scene.ann, [scene.ben])
        scene.apply_events()
        chat_state.mark_read(site.db, scene.ben, scene.cid, 0)
        scene.begin()
        yield scene


def listen(
    scene: Scene, uid: int, since: str = "", last: str | None = None, cid: str = "", **headers: str
) -> Reader:
    """Open the stream of a chat, by default from its newest message on, as its page does."""
    cid = cid or scene.cid
    since = since or scene.site.db.read(reading.open_page(uid, cid, size=1)).position
    path = f"/stream/chats?chat={cid}&since={since}"
    return scene.read(last, path=path, headers={**scene.sign_in(uid), **headers})


def next_events(reader: Reader, kind: str = "message", count: int = 1) -> list[Sent]:
    """Return the next events of one kind; skip all others."""
    events: list[Sent] = []
    while len(events) < count:
        event = reader.next(())
        assert event, "the stream has ended"
        events += [event] if event.event == kind else []
    return events


def wait_for_presence(reader: Reader, cid: str, uids: list[int]) -> None:
    """Read presence events until one lists these members; earlier ones may list fewer."""
    data = {"chat": cid, "uids": list[int]()}
    while data["uids"] != uids:
        data = next_events(reader, "here")[0].data
        assert data["chat"] == cid and set(data["uids"]) <= set(uids)


def next_messages(reader: Reader, count: int = 1) -> list[tuple[int, str]]:
    """Return the ids and texts of the next messages."""
    return [(event.data["id"], text_of(event)) for event in next_events(reader, "message", count)]


def text_of(event: Sent) -> str:
    """Return the text of a message event."""
    html = event.data["html"]
    message_id = MESSAGE_ID.search(html)
    assert event.data["chat"] and message_id and message_id[1] == str(event.data["id"])
    text = TEXT.search(html)
    return text[1].strip() if text else ""


def send(scene: Scene, *texts: str, uid: int = 0) -> list[int]:
    """Send messages to the group, by ann unless `uid` is given; return their ids."""
    return send_messages(scene.site, uid or scene.ann, scene.cid, *texts)


def test_every_member_gets_every_message_once_and_in_order(scene: Scene) -> None:
    readers = [listen(scene, uid) for uid in (scene.ann, scene.ben, scene.ben)]
    texts = [f"message {number}" for number in range(40)]
    message_ids = send(scene, *texts[:20]) + send(scene, *texts[20:], uid=scene.ben)
    for reader in readers:
        assert next_messages(reader, 40) == list(zip(message_ids, texts, strict=True))
        [mark] = next_events(reader, "mark")
        assert (mark.id, reader.last) == (f"{scene.cid}:40.40", f"{scene.cid}:40.40")


def test_reconnecting_client_gets_exactly_what_it_missed(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    send(scene, "one", "two")
    assert next_messages(reader, 2) == [(1, "one"), (2, "two")]
    next_events(reader, "mark")
    reader.close()
    send(scene, "three")
    sending.edit(scene.site, scene.ann, scene.cid, 1, "first")
    again = listen(scene, scene.ben, last=reader.last)
    assert next_messages(again, 2) == [(1, "first"), (3, "three")]
    next_events(again, "mark")
    send(scene, "four")
    assert next_messages(again) == [(4, "four")]


def test_restart_after_kill_loses_and_repeats_nothing(scene: Scene) -> None:
    readers = [listen(scene, uid) for uid in (scene.ann, scene.ben)]
    send(scene, "before")
    for reader in readers:
        assert next_messages(reader) == [(1, "before")]
        next_events(reader, "mark")
    assert scene.program
    scene.program.kill()
    for reader in readers:  # who is there may be told again at any time
        assert {event.event for event in read_until_broken(reader)} <= {"here"}
    texts = [f"meanwhile {number}" for number in range(30)]
    send(scene, *texts)
    scene.begin()
    for uid, old in zip((scene.ann, scene.ben), readers, strict=True):
        reader = listen(scene, uid, last=old.last)
        send(scene, f"then {uid}")
        expected = [*texts, f"then {scene.ann}"]
        if uid == scene.ben:
            expected.append(f"then {scene.ben}")
        assert [text for _, text in next_messages(reader, len(expected))] == expected


def test_interrupted_batch_is_sent_again_from_its_beginning(scene: Scene) -> None:
    send(scene, *(f"message {number}" for number in range(10)))
    reader = listen(scene, scene.ben, "0.0")
    first = next_events(reader, "message", 4)
    reader.close()
    again = listen(scene, scene.ben, last=first[-1].id)
    assert [number for number, _ in next_messages(again, 10)] == list(range(1, 11))


def test_missed_hint_loses_nothing(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    send(scene, "before")
    assert next_messages(reader) == [(1, "before")]
    scene.site.db.on_every_primary("CLIENT", "KILL", "TYPE", "pubsub")
    send(scene, "while unsubscribed")
    expected = [[chat_state.CHAT_CHANNEL, 0]]
    assert scene.site.db.on_every_primary("PUBSUB", "NUMSUB", chat_state.CHAT_CHANNEL) == expected
    assert next_messages(reader) == [(2, "while unsubscribed")]


def test_stream_survives_a_restart_of_the_store(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    send(scene, "before")
    assert next_messages(reader) == [(1, "before")]
    scene.site.kill_store()
    scene.site.start_store()
    send(scene, "after")
    assert next_messages(reader) == [(2, "after")]


def test_edits_reactions_and_deletions_send_the_message_again(scene: Scene) -> None:
    site = scene.site
    send(scene, "a worm")
    reader = listen(scene, scene.ben)
    sending.edit(site, scene.ann, scene.cid, 1, "a big worm")
    assert next_messages(reader) == [(1, "a big worm")]
    sending.react(site, scene.ben, scene.cid, 1, "🎉", True)
    [reacted] = next_events(reader)
    assert "🎉" in reacted.data["html"] and f'data-uids="{scene.ben}"' in reacted.data["html"]
    sending.delete(site, scene.ann, scene.cid, 1)
    assert next_messages(reader) == [(1, "Message deleted")]


def test_removed_member_gets_a_gone_event_and_nothing_more(scene: Scene) -> None:
    readers = {uid: listen(scene, uid) for uid in (scene.ann, scene.ben)}
    send(scene, "welcome")
    assert next_messages(readers[scene.ben]) == [(1, "welcome")]
    membership.remove(scene.site, scene.ann, scene.cid, scene.ben)
    send(scene, "they are gone")
    remaining_events = []
    while event := readers[scene.ben].next(("mark", "badge", "here", "chat")):
        remaining_events.append((event.event, event.data))
    assert remaining_events == [("gone", {"chat": scene.cid})]
    assert next_messages(readers[scene.ann], 2) == [(1, "welcome"), (2, "they are gone")]
    assert next_events(listen(scene, scene.ben, "0.0"), "gone")[0].data == {"chat": scene.cid}


def test_non_member_gets_only_a_gone_event(scene: Scene) -> None:
    send(scene, "between us")
    kit = scene.join("kit")
    for cid in (scene.cid, "99", direct_id(scene.ann, scene.ben)):
        reader = listen(scene, kit, "0.0", cid=cid)
        events = iter(partial(reader.next, ("badge",)), None)
        assert [event.event for event in events if event] == ["gone"]


def test_newcomer_gets_nothing_of_earlier_messages(scene: Scene) -> None:
    site = scene.site
    send(scene, "a secret", "another")
    kit = scene.join("kit")
    membership.add(site, scene.ann, scene.cid, [kit])
    member, newcomer = listen(scene, scene.ben), listen(scene, kit)
    sending.react(site, scene.ben, scene.cid, 1, "🎉", True)
    assert next_messages(member) == [(1, "a secret")]
    sending.send(site, scene.ann, scene.cid, draft("as I said", reply_to=1), key())
    [with_quote], [without_quote] = next_events(member), next_events(newcomer)
    assert (with_quote.data["id"], without_quote.data["id"]) == (3, 3)
    assert "a secret" in with_quote.data["html"]
    assert "a secret" not in without_quote.data["html"]


def test_messages_are_rendered_in_the_language_of_the_page(scene: Scene) -> None:
    readers = (listen(scene, scene.ann), listen(scene, scene.ben, **{"Accept-Language": "zh-CN"}))
    send(scene, "a worm")
    english, chinese = (next_events(reader)[0].data["html"] for reader in readers)
    assert "UTC" in english and "年" not in english
    assert "年" in chinese


def test_page_with_an_old_or_invalid_position_reloads(scene: Scene) -> None:
    send(scene, *(f"message {number}" for number in range(CHANGES_MAX + 1)))
    end = CHANGES_MAX + 1
    for position in ("0.0", "7000.9", "nonsense"):
        reader = listen(scene, scene.ben, position)
        [event] = next_events(reader, "reload")
        assert event.id == f"{scene.cid}:{end}.{end}"
    send(scene, "and on")
    assert next_messages(reader) == [(end + 1, "and on")]


def test_stream_without_a_position_begins_now(scene: Scene) -> None:
    send(scene, "long ago")
    reader = scene.read(path=f"/stream/chats?chat={scene.cid}", headers=scene.sign_in(scene.ben))
    assert next_events(reader, "mark")[0].id == f"{scene.cid}:1.1"
    send(scene, "now")
    assert next_messages(reader) == [(2, "now")]


def test_direct_chat_without_messages_gets_its_first_one(scene: Scene) -> None:
    cid = direct_id(scene.ann, scene.ben)
    reader = listen(scene, scene.ben, "0.0", cid=cid)
    send_messages(scene.site, scene.ann, cid, "hello you")
    assert next_messages(reader) == [(1, "hello you")]


def test_typing_reading_and_presence_are_sent(scene: Scene) -> None:
    db = scene.site.db
    ann = listen(scene, scene.ann)
    assert next_events(ann, "here")[0].data == {"chat": scene.cid, "uids": [scene.ann]}
    ben = listen(scene, scene.ben)
    for reader in (ann, ben):
        wait_for_presence(reader, scene.cid, [scene.ann, scene.ben])
    chat_state.announce_typing(db, scene.ben, scene.cid)
    found = next_events(ann, "typing")[0].data
    assert found == {"chat": scene.cid, "uid": scene.ben, "name": "Ben"}
    send(scene, "read this")
    chat_state.mark_read(db, scene.ben, scene.cid, 1)
    expected = {"chat": scene.cid, "uid": scene.ben, "name": "Ben", "id": 1}
    assert next_events(ann, "seen")[0].data == expected


def test_member_with_a_pending_request_is_not_shown_as_present(scene: Scene) -> None:
    db, kit = scene.site.db, scene.join("kit")
    # Kit does not follow ann.
    membership.add(Site(db, scene.site.config), scene.ann, scene.cid, [kit])
    scene.apply_events()
    listen(scene, kit)
    ann = listen(scene, scene.ann)
    assert next_events(ann, "here")[0].data["uids"] == [scene.ann]
    listen(scene, scene.ben)
    wait_for_presence(ann, scene.cid, [scene.ann, scene.ben])
    chat_state.accept_request(db, kit, scene.cid)
    listen(scene, kit)
    wait_for_presence(ann, scene.cid, [scene.ann, scene.ben, kit])


def test_change_of_settings_and_the_chat_s_end_are_sent(scene: Scene) -> None:
    reader = listen(scene, scene.ben)
    group_chats.change(scene.site, scene.ann, scene.cid, name="Finches")
    assert next_events(reader, "chat")[0].data == {"chat": scene.cid}
    group_chats.delete(scene.site, scene.ann, scene.cid)
    assert next_events(reader, "gone")[0].data == {"chat": scene.cid}


@pytest.mark.parametrize(
    "path", ["/stream/home", "/stream/public", "/stream/profile/1", "/stream/chats"]
)
def test_every_page_of_a_member_gets_unread_counts(scene: Scene, path: str) -> None:
    def unread(count: int) -> dict[str, object]:
        chats = {scene.cid: count} if count else {}
        return {"all": count, "requests": 0, "chats": chats, "notifications": 0}

    reader = scene.read(path=path, headers=scene.sign_in(scene.ben))
    assert next_events(reader, "badge")[0].data == unread(0)
    send(scene, "one", "two")
    scene.apply_events()
    assert next_events(reader, "badge")[-1].data == unread(2)
    chat_state.mark_read(scene.site.db, scene.ben, scene.cid, 1)
    assert next_events(reader, "badge")[0].data == unread(1)
    reopened = scene.read(path=path, headers=scene.sign_in(scene.ben))
    assert next_events(reopened, "badge")[0].data == unread(1)


def test_pages_are_told_when_an_unread_notification_goes(scene: Scene) -> None:
    reader = scene.read(path="/stream/home", headers=scene.sign_in(scene.ann))
    [status_id] = scene.post("a song")
    next_events(reader, "badge")  # of Ben, who follows her
    for change, count in ((likes.like, 2), (likes.unlike, 1)):
        scene.do(change, scene.ben, status_id)
        assert next_events(reader, "badge")[-1].data["notifications"] == count


def test_visitors_get_no_unread_counts(scene: Scene) -> None:
    visitor = scene.read(path="/stream/public")
    send(scene, "not for you")
    scene.apply_events()
    [posted] = scene.post("for all")
    event = visitor.next(())
    assert event and (event.event, event.data["id"]) == ("update", str(posted))


def test_chat_stream_requires_a_session_and_ends_with_it(scene: Scene) -> None:
    path = f"/stream/chats?chat={scene.cid}&since=0.0"
    cookie = scene.sign_in(scene.ben)
    assert send_request(scene.port, path)[0] == 401
    foreign = {**cookie, "Origin": "https://elsewhere.example"}
    status, headers, _ = send_request(scene.port, path, headers=foreign)
    assert (status, headers["Access-Control-Allow-Origin"]) == (401, None)
    for suffix in ("?chat=0", "?chat=7-3", "?chat=", "/3"):
        assert send_request(scene.port, f"/stream/chats{suffix}", headers=cookie)[0] == 404
    position = scene.site.db.read(reading.open_page(scene.ben, scene.cid, size=1)).position
    reader = scene.read(path=f"/stream/chats?chat={scene.cid}&since={position}", headers=cookie)
    send(scene, "hello")
    assert next_messages(reader) == [(1, "hello")]
    scene.do(sessions.end, cookie["Cookie"].partition("linnet=")[2])
    send(scene, "after")
    assert "message" not in [sent.event for sent in read_to_end(reader)]


def test_opening_page_streams_is_rate_limited_per_member(scene: Scene) -> None:
    port = free_port()
    scene.site.stream(port, limit_page_streams="2/60")
    ann, ben = scene.sign_in(scene.ann), scene.sign_in(scene.ben)
    chat = f"/stream/chats?chat={scene.cid}&since=0.0"
    paths = (chat, "/stream/home", "/stream/public", "/stream/chats")
    responses = [send_request(port, path, "HEAD", ann) for path in paths]
    assert [status for status, *_ in responses] == [200, 200, 429, 429]
    assert all(0 < int(headers["Retry-After"]) <= 60 for _, headers, _ in responses[2:])
    assert send_request(port, "/stream/home", "HEAD", ben)[0] == 200
    assert send_request(port, "/stream/public", "HEAD")[0] == 200


def test_two_stream_processes_send_the_same(scene: Scene) -> None:
    other_port = free_port()
    scene.site.stream(other_port)
    ann = listen(scene, scene.ann)
    next_events(ann, "here")
    path = f"/stream/chats?chat={scene.cid}&since=0.0"
    ben = Reader(other_port, path=path, headers=scene.sign_in(scene.ben))
    scene.readers.append(ben)
    assert ben.block() == GREETING
    everybody = [scene.ann, scene.ben]
    for reader in (ann, ben):
        until(lambda reader=reader: next_events(reader, "here")[0].data["uids"] == everybody)
    texts = [f"message {number}" for number in range(10)]
    send(scene, *texts)
    for reader in (ann, ben):
        assert [text for _, text in next_messages(reader, 10)] == texts

"""Chats for programs: all of a member, with a token, as events and as JSON lines."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.chat import draft, group, key, send_messages
from tests.support.processes import RunningSite
from tests.support.streaming.client import PROCESSES, Reader, Scene, scene_on, send_request
from webapp.accounts import lifecycle
from webapp.accounts.tokens import store as tokens
from webapp.chat import reading
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import group_chats, membership
from webapp.chat.messages import sending

pytestmark = PROCESSES
LINES = "application/x-ndjson"


@pytest.fixture
def scene(running_site: RunningSite) -> Iterator[Scene]:
    """A stream process and a group that ann owns and ben belongs to."""
    with scene_on(running_site) as scene:
        scene.ben = scene.join("ben")
        scene.follow(scene.ben, "ann")  # so that nothing is a request
        scene.cid = group(scene.site, scene.ann, [scene.ben])
        scene.apply_events()
        scene.begin()
        yield scene


class Program:
    """A program that listens to chats with an access token."""

    def __init__(self, scene: Scene, uid: int, accept: str = LINES, query: str = "") -> None:
        site = scene.site
        self.token = tokens.create(site, uid, "a script")
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept}
        self.reader = Reader(scene.port, path=f"/stream/chats{query}", headers=headers)
        scene.readers.append(self.reader)
        assert self.reader.response.status == 200
        self._lines = accept == LINES
        if not query:
            assert self.next() == {"event": "ready"}

    def next(self, *skipped: str) -> dict[str, Any]:
        """Return the next event that is not skipped; empty at the end of the stream."""
        while True:
            found = self._next_line() if self._lines else self._next_event()
            if found.get("event") not in skipped:
                return found

    def _next_line(self) -> dict[str, Any]:
        while line := self.reader.response.readline():
            if line.strip():
                found: dict[str, Any] = json.loads(line)
                return found
        return {}

    def _next_event(self) -> dict[str, Any]:
        found = self.reader.next(())
        assert found is None or found.event == found.data.get("event", "disconnect")
        return found.data if found else {}


def send(scene: Scene, *texts: str, uid: int = 0, cid: str = "") -> list[int]:
    """Send messages, by ann to the group unless something else is given."""
    ids = scene.do(send_messages, uid or scene.ann, cid or scene.cid, *texts)
    return ids


@pytest.mark.parametrize("accept", [LINES, "text/event-stream", "*/*"])
def test_messages_of_all_chats_are_sent_whole(scene: Scene, accept: str) -> None:
    direct = direct_id(scene.ann, scene.ben)
    send(scene, "before", cid=direct)
    program = Program(scene, scene.ben, accept)
    kind = "application/json" if accept == LINES else "text/event-stream; charset=utf-8"
    assert program.reader.response.headers["Content-Type"] == kind
    send(scene, "hello @ben")
    found = program.next()
    assert (found["event"], found["chat_id"]) == ("message", scene.cid)
    message = found["message"]
    assert (message["id"], message["text"], message["chat_id"]) == (1, "hello @ben", scene.cid)
    assert message["author"]["username"] == "ann" and message["entities"][0]["type"] == "mention"
    send(scene, "only you", cid=direct)
    found = program.next()
    assert (found["chat_id"], found["message"]["text"]) == (direct, "only you")
    send(scene, "my own", uid=scene.ben)
    assert program.next()["message"]["author"]["id"] == scene.ben


def test_edits_reactions_deletions_and_reads_are_sent(scene: Scene) -> None:
    site = scene.site
    send(scene, "a wrm")
    program = Program(scene, scene.ben)
    sending.edit(site, scene.ann, scene.cid, 1, "a worm")
    found = program.next()
    assert (found["event"], found["message"]["text"]) == ("message_updated", "a worm")
    assert found["message"]["edited_at"]
    sending.react(site, scene.ben, scene.cid, 1, "🎉", True)
    seen = program.next()["message"]["reactions"]
    assert seen == [{"name": "🎉", "count": 1, "users": [scene.ben]}]
    sending.delete(site, scene.ann, scene.cid, 1)
    found = program.next()
    assert found["event"] == "message_deleted" and found["message"]["id"] == 1
    assert found["message"]["deleted"] and "worm" not in str(found)
    chat_state.announce_typing(site.db, scene.ann, scene.cid)
    assert program.next() == {"event": "typing", "chat_id": scene.cid, "user_id": scene.ann}
    send(scene, "read this")
    assert program.next()["event"] == "message"
    chat_state.mark_read(site.db, scene.ben, scene.cid, 2)
    expected = {"event": "read", "chat_id": scene.cid, "user_id": scene.ben, "message_id": 2}
    assert program.next() == expected
    group_chats.change(site, scene.ann, scene.cid, name="Finches")
    assert program.next() == {"event": "chat_updated", "chat_id": scene.cid}


def test_chats_come_and_go_while_a_program_listens(scene: Scene) -> None:
    site = scene.site
    program, kit = Program(scene, scene.ben), scene.join("kit")
    send(scene, "a first message", cid=direct_id(scene.ben, kit), uid=kit)
    assert program.next("chat_updated")["message"]["text"] == "a first message"
    cid = group(site, kit, [scene.ben])
    send(scene, "welcome", cid=cid, uid=kit)
    found = program.next("chat_updated")
    assert (found["chat_id"], found["message"]["text"]) == (cid, "welcome")
    own = scene.do(group_chats.create, scene.ben, "private", "Mine", [kit], draft("my own"), key())
    found = program.next("chat_updated")
    assert (found["chat_id"], found["message"]["text"]) == (own, "my own")
    scene.do(membership.remove, scene.ann, scene.cid, scene.ben)
    assert program.next("chat_updated") == {"event": "chat_removed", "chat_id": scene.cid}
    send(scene, "without ben")
    scene.do(membership.add, scene.ann, scene.cid, [scene.ben])
    send(scene, "ben is back")
    assert program.next("chat_updated")["message"]["text"] == "ben is back"
    scene.do(group_chats.delete, kit, cid)
    assert program.next("chat_updated") == {"event": "chat_removed", "chat_id": cid}


def test_programs_are_not_present_and_get_no_html(scene: Scene) -> None:
    position = scene.site.db.read(reading.open_page(scene.ann, scene.cid, size=1)).position
    program = Program(scene, scene.ben)
    path = f"/stream/chats?chat={scene.cid}&since={position}"
    page = scene.read(path=path, headers=scene.sign_in(scene.ann))
    event = page.next()
    assert event and (event.event, event.data["uids"]) == ("here", [scene.ann])
    send(scene, "hello")
    assert "html" not in str(program.next())
    event = page.next()
    assert event and event.event == "message" and "html" in event.data


def test_one_chat_is_resumed_from_a_position(scene: Scene) -> None:
    send(scene, "one", "two")
    program = Program(scene, scene.ben, query=f"?chat={scene.cid}&since=0.0")
    first, second = program.next(), program.next()
    assert [first["message"]["text"], second["message"]["text"]] == ["one", "two"]
    assert second["position"] == f"{scene.cid}:2.2"
    for position, texts in ((first["position"], ["one", "two", "three"]), ("2.2", ["three"])):
        if len(texts) == 3:
            send(scene, "three")
        again = Program(scene, scene.ben, query=f"?chat={scene.cid}&since={position}")
        assert [again.next()["message"]["text"] for _ in texts] == texts
    lost = Program(scene, scene.ben, query=f"?chat={scene.cid}&since=7000.9")
    assert lost.next()["event"] == "missed"


@pytest.mark.parametrize("accept", [LINES, "text/event-stream"])
def test_one_chat_without_a_position_begins_at_its_end(scene: Scene, accept: str) -> None:
    send(scene, "before")
    program = Program(scene, scene.ben, accept, query=f"?chat={scene.cid}")
    assert program.next() == {"event": "ready"}
    send(scene, "after")
    assert program.next()["message"]["text"] == "after"


def test_strangers_get_nothing(scene: Scene) -> None:
    kit = scene.join("kit")
    for cid in (scene.cid, "99", direct_id(scene.ann, scene.ben)):
        program = Program(scene, kit, query=f"?chat={cid}&since=0.0")
        assert program.next() == {"event": "chat_removed", "chat_id": cid}
        assert program.next()["disconnect"]["code"] == 6
        assert program.next() == {}
    program = Program(scene, kit)
    send(scene, "among us")
    send(scene, "between us", cid=direct_id(scene.ann, scene.ben))
    send(scene, "hello kit", cid=direct_id(scene.ann, kit))
    assert program.next()["message"]["text"] == "hello kit"


@pytest.mark.parametrize("accept", [LINES, "text/event-stream"])
def test_revoked_token_ends_the_stream(scene: Scene, accept: str) -> None:
    program = Program(scene, scene.ben, accept)
    scene.do(tokens.revoke, scene.ben, tokens.sha_of(program.token))
    assert program.next()["disconnect"]["code"] == 6
    assert program.next() == {}
    headers = {"Authorization": f"Bearer {program.token}"}
    assert send_request(scene.port, "/stream/chats", headers=headers)[0] == 401


def test_bot_listens_with_its_own_token(scene: Scene) -> None:
    site = scene.site
    bot = bots.create_bot(site, scene.ann, "jay", "Jay").uid
    scene.do(membership.add, scene.ann, scene.cid, [bot])
    program = Program(scene, bot)
    send(scene, "hello all")
    assert program.next()["message"]["text"] == "hello all"


def test_stream_of_a_bot_ends_when_its_owner_is_suspended(scene: Scene) -> None:
    site = scene.site
    owner = scene.join("owner")
    bot = bots.create_bot(site, owner, "rook", "Rook").uid
    scene.do(membership.add, scene.ann, scene.cid, [bot])
    program = Program(scene, bot)
    token = tokens.create(site, bot, "a script")
    headers = {"Authorization": f"Bearer {token}"}
    path = "/1.1/statuses/filter.json?track=x"
    status_stream = Reader(scene.port, path=path, headers=headers)
    scene.readers.append(status_stream)
    scene.do(lifecycle.suspend, owner)
    assert program.next()["disconnect"]["code"] == 6
    assert b'"code":6' in status_stream.response.read()


def test_newcomer_gets_nothing_of_earlier_messages(scene: Scene) -> None:
    site = scene.site
    send(scene, "a secret")
    kit = scene.join("kit")
    scene.do(membership.add, scene.ann, scene.cid, [kit])
    program = Program(scene, kit)
    sending.edit(site, scene.ann, scene.cid, 1, "a secret again")
    sending.send(site, scene.ann, scene.cid, draft("public", reply_to=1), key())
    found = program.next()
    assert found["message"]["text"] == "public" and "secret" not in str(found)


def test_stream_survives_missed_announcements_and_a_restart_of_the_store(scene: Scene) -> None:
    program = Program(scene, scene.ben)
    scene.site.db.on_every_primary("CLIENT", "KILL", "TYPE", "pubsub")
    send(scene, "while unsubscribed")
    assert program.next()["message"]["text"] == "while unsubscribed"
    scene.site.kill_store()
    scene.site.start_store()
    kit = scene.join("kit")
    send(scene, "new chat", cid=direct_id(scene.ben, kit), uid=kit)
    assert program.next()["message"]["text"] == "new chat"

"""Apps with a WebSocket: several streams, and each event as its reader sees it."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from itertools import count
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.client_api import app_token
from tests.support.processes import PATIENCE, RunningSite, until
from tests.support.streaming.app_socket import AppSocket
from tests.support.streaming.client import (
    PROCESSES,
    Reader,
    Scene,
    connect_narrow,
    scene_on,
    send_request,
)
from webapp.accounts.tokens import store as tokens
from webapp.core.settings import store as settings_store
from webapp.core.settings.live import LiveSettings
from webapp.core.text.parser import parse
from webapp.lists import store as lists
from webapp.statuses import Filter, Visibility, store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.filters import store as filters
from webapp.statuses.interactions import boosts, likes
from webapp.timelines.tags import store as tags

from .conftest import Open

pytestmark = PROCESSES


def ask(scene: Scene, uid: int, path: str) -> Any:
    """Return what the client API answers a member."""
    connection = HTTPConnection("127.0.0.1", scene.site.config.port, timeout=PATIENCE)
    token = tokens.create(scene.site, uid, "a script")
    connection.request("GET", f"/api/{path}", headers={"Authorization": f"Bearer {token}"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return answer


def test_a_socket_has_several_streams_and_each_frame_names_its_own(
    scene: Scene, connect: Open
) -> None:
    number = lists.create(scene.site, scene.ben, "Larks")
    scene.do(lists.set_memberships, scene.ben, scene.login("ann"), {number: True})
    socket = connect(scene.ben, stream="")
    for name in ("user", "public", "local", "public:remote", "direct"):
        socket.send("subscribe", name)
    socket.send("subscribe", "hashtag", tag="Heath")
    socket.send("subscribe", "list", list=str(number))
    socket.socket.send("no JSON")
    wanted = ("user", "public", "hashtag", "list")
    socket.until(lambda: scene.post("hello #heath")[0], *wanted)
    [status_id] = scene.post("hello #heath")
    frames = [socket.next() for _ in wanted]
    labels = [["hashtag", "Heath"], ["list", str(number)], ["public"], ["user"]]
    assert sorted(frame.stream for frame in frames) == labels
    assert {(frame.event, frame.id) for frame in frames} == {("update", status_id)}
    for name in ("user", "public"):
        socket.send("unsubscribe", name)
    socket.send("unsubscribe", "list", list=str(number))
    socket.send("subscribe", "hashtag", tag="HEATH")  # open already
    socket.send("subscribe", "hashtag", tag="Moor")
    socket.send("unsubscribe", "hashtag", tag="moor")
    quiet = connect(scene.cid, "public", settle=scene.ann)  # by then the three have ended
    scene.post("no tag")
    scene.post("#moor")
    [last] = scene.post("#heath")
    while (frame := socket.next()).id != last:
        assert frame.id < status_id + 2**40
    assert frame.stream == ["hashtag", "Heath"] and quiet.next().event == "update"


def test_a_frame_without_its_hashtag_is_answered_with_an_error(scene: Scene, connect: Open) -> None:
    socket = connect(scene.ben, stream="")
    socket.send("subscribe", "local")  # unknown
    socket.send("subscribe", "hashtag", tag="")
    error = json.loads(socket.socket.recv(timeout=PATIENCE))
    assert error == {"error": "Missing tag name parameter", "status": 400}


def test_a_client_with_a_frame_that_is_too_long_is_disconnected(
    scene: Scene, connect: Open
) -> None:
    socket = connect(scene.ben, stream="")
    socket.send("subscribe", "user", tag="x" * 5_000)
    assert socket.close_code() == 1008


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what came")
def test_a_client_that_sends_a_message_without_an_end_is_disconnected(
    scene: Scene, connect: Open
) -> None:
    quiet, endless = connect(scene.ben), connect(scene.ben, stream="")
    deadline = time.monotonic() + PATIENCE

    def endless_message() -> Iterator[str]:
        yield "x" * 2_000_000
        while time.monotonic() < deadline:
            time.sleep(0.01)
            yield "x"

    with suppress(ConnectionClosed):
        endless.socket.send(endless_message())
    assert endless.close_code() == 1006
    [status_id] = scene.post("still there", author=scene.ben)
    assert quiet.next().id == status_id


def test_events_are_what_the_endpoints_answer(scene: Scene, connect: Open) -> None:
    site = scene.site
    socket = connect(scene.ben)
    dan = scene.join("dan")
    scene.do(filters.save, scene.ben, Filter("gull"))
    assert socket.next()[1:] == ("filters_changed", None)
    [status_id] = scene.post(f"a gull for @{scene.login('ben')}")
    frames = [socket.next(), socket.next()]
    update, notification = sorted(frames, key=lambda frame: frame.event, reverse=True)
    [newest] = ask(scene, scene.ben, "v1/timelines/home?limit=1")
    assert update.event == "update" and update.payload == newest and newest["filtered"]
    [noted] = ask(scene, scene.ben, "v1/notifications?limit=1")
    assert notification.event == "notification" and notification.payload == noted
    changed = parse("a tern")
    status = ask(scene, scene.ann, f"v1/statuses/{status_id}")
    assert status["id"] == str(status_id)
    scene.do(editing.edit, scene.ann, status_id, changed, "", "0")
    edit = socket.next()
    assert edit.event == "status.update"
    assert edit.payload == ask(scene, scene.ben, f"v1/statuses/{status_id}")
    [other] = scene.post("to be boosted", author=dan)
    scene.do(boosts.boost, scene.ann, other)
    boost = socket.next()
    [newest] = ask(scene, scene.ben, "v1/timelines/home?limit=1")
    assert boost.payload == newest and newest["reblog"]["id"] == str(other)
    boosts.unboost(site, scene.ann, other)
    scene.do(statuses.delete, scene.ann, status_id)
    gone = [socket.next(), socket.next()]
    expected = [("delete", boost.id), ("delete", status_id)]
    assert [(one.event, one.payload) for one in gone] == expected
    [own] = scene.post("mine", author=scene.ben)
    assert socket.next().id == own
    scene.do(likes.like, scene.ann, own)
    liked = socket.next()
    assert (liked.payload["type"], liked.payload["status"]["id"]) == ("favourite", str(own))


def test_a_stream_of_conversations_has_those_of_its_reader(scene: Scene, connect: Open) -> None:
    keys = count()

    def write(to: str, author: int) -> None:
        text, key = parse(f"for @{scene.login(to)}"), f"private-{next(keys)}"
        scene.do(statuses.post, author, text, key, visibility=Visibility.MENTIONED)

    def newest(uid: int) -> Any:
        return ask(scene, uid, "v1/conversations?limit=1")[0]

    def write_to_ben() -> int:
        write("ben", scene.ann)
        return int(newest(scene.ben)["id"])

    socket = connect(scene.ben, stream="")
    socket.send("subscribe", "direct")
    socket.until(write_to_ben, "direct")
    write("cid", scene.ann)
    write("ann", scene.ben)
    frame = socket.next()
    assert (frame.event, frame.payload) == ("conversation", newest(scene.ben))
    assert frame.payload["unread"] is False


def test_lists_and_hashtags_may_change_while_their_streams_are_open(
    scene: Scene, connect: Open
) -> None:
    site, dan = scene.site, scene.join("dan")
    number = lists.create(site, scene.ben, "Larks")
    scene.do(lists.set_memberships, scene.ben, scene.login("ann"), {number: True})
    socket = connect(scene.ben, f"list&list={number}", settle=scene.ann)
    scene.do(lists.set_memberships, scene.ben, scene.login("dan"), {number: True})
    socket.until(lambda: scene.post(author=dan)[0], "list")
    home = connect(scene.cid)
    scene.do(tags.follow, scene.cid, "heath")
    home.until(lambda: scene.post("#heath", author=dan)[0], "user")
    scene.do(lists.delete, scene.ben, number)
    socket.send("subscribe", "public")
    socket.until(lambda: scene.post(author=dan)[0], "public")
    other = connect(scene.cid, stream="")
    other.send("subscribe", "list", list=str(number))  # of ben, and gone
    other.send("subscribe", "public")
    other.until(lambda: scene.post()[0], "public")


def test_the_oldest_of_too_many_apps_ends(scene: Scene, connect: Open) -> None:
    sockets = [connect(scene.ben) for _ in range(3)]
    assert scene.read(path="/stream/home", headers=scene.sign_in(scene.ben))  # counts apart
    connect(scene.ben)
    assert sockets[0].close_code() == 1013
    [status_id] = scene.post()
    assert sockets[1].next().id and status_id


@pytest.mark.parametrize("query", ["", "access_token=linnet_1_no"])
def test_only_a_valid_token_opens_a_socket(scene: Scene, query: str) -> None:
    token = "" if query else "linnet_1_no"
    with pytest.raises(InvalidStatus) as refused:
        AppSocket(scene.port, token, query)
    assert refused.value.response.status_code == 401
    assert json.loads(refused.value.response.body) == {"error": "The access token is invalid"}


def test_a_token_in_the_address_opens_one_too(scene: Scene) -> None:
    token = app_token(scene.site, scene.ben)
    socket = AppSocket(scene.port, token, "stream=user", by_query=True)
    socket.until(lambda: scene.post()[0], "user")
    socket.close()


def test_a_socket_that_reads_nothing_ends_and_others_do_not_notice(
    running_site: RunningSite,
) -> None:
    with scene_on(running_site) as scene:
        scene.begin(stream_queue=30_000)
        token = app_token(running_site, scene.ann)
        slow = AppSocket(scene.port, token, "stream=public", sock=connect_narrow(scene.port, 4096))
        quick = AppSocket(scene.port, token, "stream=public")
        quick.until(lambda: scene.post()[0], "public")
        for _ in range(12):  # a single batch is no lag, however large it is
            posted = scene.post(count=20)
            assert [quick.next().id for _ in posted] == posted
        assert slow.close_code() != 1000
        scene.post()
        assert quick.next().event == "update"
        quick.close()


def test_maintenance_ends_streams_of_all_kinds_and_refuses_new_ones(
    scene: Scene, connect: Open
) -> None:
    db, live = scene.site.db, LiveSettings(scene.site.config)
    token, socket = tokens.create(scene.site, scene.cid, "a script"), connect(scene.ben)
    paths = (
        *("/stream/public", "/stream/home", "/stream/chats"),
        *("/api/v1/streaming/public", "/1.1/statuses/sample.json?identifier=x"),
    )
    headers = {"Authorization": f"Bearer {token}"}
    scene.readers += (Reader(scene.port, path=path, headers=headers) for path in paths)
    settings_store.change(db, live, {"maintenance": "yes"})
    try:
        assert socket.close_code() == 1001
        for reader in scene.readers:
            assert reader.response.status == 200
            reader.response.read()  # to its proper end
        for path in paths:
            status, found, body = send_request(scene.port, path, headers=headers)
            assert (status, found["Retry-After"]) == (503, "120"), path
            assert b"working on the site" in body, path
        with pytest.raises(InvalidStatus) as refused:
            AppSocket(scene.port, token, "stream=user")
        assert refused.value.response.status_code == 503
        assert send_request(scene.port, "/healthz")[0] == 200
    finally:
        settings_store.change(db, live, {"maintenance": None})
    until(lambda: send_request(scene.port, "/stream/public", "HEAD")[0] == 200)
    connect(scene.ben)


def test_an_app_that_comes_back_hears_what_happens_then(scene: Scene, connect: Open) -> None:
    connect(scene.ben).close()
    scene.post("while it was away")
    socket = connect(scene.ben)
    [status_id] = scene.post()
    assert socket.next().id == status_id

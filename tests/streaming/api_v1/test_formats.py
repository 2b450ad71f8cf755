"""Formats of the streaming API: lines, lengths, gzip and events."""

import json
import socket
from contextlib import ExitStack

import pytest

from tests.support.processes import PATIENCE
from tests.support.streaming.api_client import Stage, numbers
from tests.support.streaming.client import PROCESSES, Scene
from tests.support.streaming.statuses import post_status
from webapp.statuses import store as statuses

pytestmark = PROCESSES


def test_each_message_is_one_line_in_one_chunk(scene: Scene, stage: Stage) -> None:
    with ExitStack() as stack:
        connection = stack.enter_context(
            socket.create_connection(("127.0.0.1", scene.port), PATIENCE)
        )
        head = (
            "GET /1.1/statuses/filter.json?track=crested HTTP/1.1",
            "Host: x",
            f"Authorization: Bearer {stage.token()}",
        )
        connection.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        stream = stack.enter_context(connection.makefile("rb"))
        headers = {}
        assert stream.readline() == b"HTTP/1.1 200 OK\r\n"
        while (line := stream.readline()) != b"\r\n":
            name, _, value = line.decode().strip().partition(": ")
            headers[name.lower()] = value
        assert headers["content-type"] == "application/json"
        assert headers["content-disposition"] == 'attachment; filename="api.json"'
        assert headers["transfer-encoding"] == "chunked" and headers["x-accel-buffering"] == "no"
        assert headers["cache-control"] == "no-store"
        assert stream.read(int(stream.readline(), 16) + 2) == b"\r\n\r\n"  # the greeting
        for text in ("a crested tit", "two\nlines, crested"):
            posted = post_status(scene, text)
            chunk = stream.read(int(stream.readline(), 16) + 2)
            assert chunk.endswith(b"\r\n\r\n") and chunk.count(b"\r\n") == 2
            assert (json.loads(chunk)["id"], json.loads(chunk)["text"]) == (posted, text)


@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip, deflate"}])
def test_delimited_messages_follow_their_length(
    scene: Scene, stage: Stage, headers: dict[str, str]
) -> None:
    token = stage.token(0, "firehose")
    client = stage.open("firehose", token, query={"delimited": "length"}, headers=headers)
    assert client.gzip == bool(headers)
    for text in ("one", "麻雀在唱歌 🐦‍⬛ e\u0301", "\u2028 <b> & \x85 \\\"'"):
        [posted] = scene.post(text)
        size = client.until(b"\r\n")
        message = client.read_exactly(int(size))
        assert message.endswith(b"\r\n") and message.count(b"\r\n") == 1
        assert (json.loads(message)["id"], json.loads(message)["text"]) == (posted, text)
    scene.do(statuses.delete, scene.ann, posted)
    assert numbers([json.loads(client.read_exactly(int(client.until(b"\r\n"))))]) == [posted]


def test_compressed_stream_is_flushed_after_each_message(scene: Scene, stage: Stage) -> None:
    client = stage.open(form={"track": "brambling"}, headers={"Accept-Encoding": "gzip"})
    plain = [
        stage.open(form={"track": "brambling"}, headers={"Accept-Encoding": accept})
        for accept in ("gzip;q=0, identity", "br", "identity")
    ]
    assert client.gzip
    assert "Accept-Encoding" in ",".join(client.response.headers.get_all("Vary") or [])
    assert not any(uncompressed.gzip for uncompressed in plain)
    for number in range(20):
        posted = post_status(scene, f"brambling {number}")
        assert [numbers(each.next_messages(1)) for each in (client, *plain)] == [[posted]] * 4


def test_events_carry_the_message_with_its_kind_and_log_id(scene: Scene, stage: Stage) -> None:
    accept = {"Accept": "text/event-stream"}
    events = stage.open(query={"track": "whinchat"}, headers=accept)
    lines = stage.open(query={"track": "whinchat"})
    posted = post_status(scene, "whinchat\nin two lines")
    assert events.response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    for kind in ("update", "delete"):
        event, [line] = events.event(), lines.next_messages(1)
        if kind == "update":
            scene.delete(posted)
        expected = (kind, line["event_id"], line)
        assert (event["event"], event["id"], json.loads(event["data"])) == expected
    headers = {**accept, "Last-Event-ID": line["event_id"]}
    resumed = stage.open(query={"track": "whinchat"}, headers=headers)
    again = post_status(scene, "whinchat again")
    assert json.loads(resumed.event()["data"])["id"] == again


def test_lost_position_causes_a_reload(scene: Scene, stage: Stage) -> None:
    scene.post()
    for last in ("x", "9999999999999-0"):
        headers = {"Accept": "text/event-stream", "Last-Event-ID": last}
        events = stage.open("sample", headers=headers)
        event = events.event()
        assert event["event"] == "reload" and json.loads(event["data"])["reload"]["reason"]
        lines = stage.open(form={"track": "x"}, headers={"Last-Event-ID": last})
        [message] = lines.next_messages(1)
        assert message["reload"]["reason"] and message["event_id"] == event["id"]
        assert post_status(scene, "x") == lines.next_messages(1)[0]["id"]

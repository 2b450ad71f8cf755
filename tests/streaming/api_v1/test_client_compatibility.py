"""Compatibility of streams with clients of version 1.1 and of Server-Sent Events."""

import json
from http.client import HTTPConnection

import pytest

from tests.support.processes import PATIENCE
from tests.support.streaming.api_client import FORM, V11, Stage, bearer, numbers
from tests.support.streaming.client import PROCESSES, Scene, send_request
from tests.support.streaming.statuses import post_status

pytestmark = PROCESSES
SSE = {"Accept": "text/event-stream"}


def test_retry_comes_with_the_first_event(scene: Scene, stage: Stage) -> None:
    page = scene.read()
    client = stage.open("filter", form={"track": "bustard"}, headers=SSE)
    post_status(scene, "bustard")
    for block in (page.block(), client.until(b"\n\n").decode()):
        lines = block.splitlines()
        assert "retry: 3000" in lines
        assert "event: update" in lines


def test_count_in_the_path_is_read_as_tweepy_writes_it(scene: Scene, stage: Stage) -> None:
    page = scene.read()
    posted = [post_status(scene, f"counted {number}") for number in range(3)]
    page.next_events(len(posted))  # the process that counts has read them
    headers = bearer(stage.token(0, "firehose"))
    path = f"{V11}firehose.json&count=-2?delimited=length"
    status, _, body = send_request(scene.port, path, headers=headers)
    assert status == 200
    lines = [line for line in body.split(b"\r\n") if line.startswith(b"{")]
    assert numbers([json.loads(line) for line in lines]) == posted[-2:]


@pytest.mark.parametrize("query", ["track=%ff", "track=wren&language=%c3%28"])
def test_parameters_that_are_not_utf8_are_refused(stage: Stage, scene: Scene, query: str) -> None:
    headers = bearer(stage.token())
    status, _, body = send_request(scene.port, f"{V11}filter.json?{query}", headers=headers)
    assert (status, "UTF-8" in json.loads(body)["errors"][0]["message"]) == (400, True)
    form = {**headers, **FORM}
    assert post(scene, f"{V11}filter.json", query.encode(), form) == 400


@pytest.mark.parametrize(
    "content_type", ["application/json", "multipart/form-data; boundary=x", ""]
)
def test_bodies_that_are_no_form_are_refused(stage: Stage, scene: Scene, content_type: str) -> None:
    headers = bearer(stage.token()) | ({"Content-Type": content_type} if content_type else {})
    path = f"{V11}filter.json?track=wren"
    assert post(scene, path, b'{"track": "wren"}', headers) == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/1.1/statuses/nothing.json", 404),
        ("GET", "/stream/nothing", 404),
        ("DELETE", f"{V11}sample.json", 405),
        ("POST", "/stream/public", 405),
    ],
)
def test_errors_of_the_stream_port_are_json(
    scene: Scene, method: str, path: str, status: int
) -> None:
    answer, headers, body = send_request(scene.port, path, method)
    assert (answer, headers["Content-Type"]) == (status, "application/json")
    [error] = json.loads(body)["errors"]
    assert error["code"] == status and error["message"]


def post(scene: Scene, path: str, body: bytes, headers: dict[str, str]) -> int:
    """Return the status of the response to a form."""
    connection = HTTPConnection("127.0.0.1", scene.port, timeout=PATIENCE)
    connection.request("POST", path, body, headers)
    status = connection.getresponse().status
    connection.close()
    return status

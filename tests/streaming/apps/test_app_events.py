"""Apps that read Server-Sent Events: Mastodon.py, visitors, refusals, other origins."""

import json
from collections.abc import Iterator
from queue import Queue
from threading import Event
from typing import Any

import pytest

from tests.support.client_api import app_token
from tests.support.processes import PATIENCE, RunningSite
from tests.support.streaming.client import PROCESSES, Reader, Scene, scene_on, send_request
from webapp.accounts import lifecycle
from webapp.lists import store as lists
from webapp.statuses import store as statuses

pytestmark = PROCESSES
mastodon = pytest.importorskip("mastodon")
PREFIX = "/api/v1/streaming"


class Listener(mastodon.StreamListener):  # type: ignore[misc]
    """Puts all events into a queue."""

    def __init__(self) -> None:
        self.events: Queue[tuple[str, Any]] = Queue()
        self.is_open = Event()

    def handle_heartbeat(self) -> None:
        self.is_open.set()

    def on_any_event(self, name: str, data: Any, for_stream: Any = None) -> None:
        self.events.put((name, data))

    def next(self) -> tuple[str, Any]:
        return self.events.get(timeout=PATIENCE)


@pytest.fixture
def streams(scene: Scene) -> Iterator[dict[str, Listener]]:
    """Streams of ben with Mastodon.py, which finds them by the instance, by name."""
    site, number = scene.site, lists.create(scene.site, scene.ben, "Larks")
    scene.do(lists.set_memberships, scene.ben, scene.login("ann"), {number: True})
    address = f"http://127.0.0.1:{site.config.port}"
    clients = [
        mastodon.Mastodon(access_token=app_token(site, scene.ben), api_base_url=address)
        for _ in range(3)
    ]
    assert clients[0].stream_healthy()
    listeners = {name: Listener() for name in ("user", "hashtag", "list")}
    options = {"run_async": True, "timeout": PATIENCE}
    handles = [
        clients[0].stream_user(listeners["user"], **options),
        clients[1].stream_hashtag("heath", listeners["hashtag"], **options),
        clients[2].stream_list(number, listeners["list"], **options),
    ]
    assert all(listener.is_open.wait(PATIENCE) for listener in listeners.values())
    yield listeners
    for handle in handles:
        handle.closed = True  # an end of the stream is then no error
    scene.do(lifecycle.suspend, scene.ben)  # ends them: to close one waits for its next byte
    for handle in handles:
        handle.close()


def test_mastodon_py_hears_what_happens(scene: Scene, streams: dict[str, Listener]) -> None:
    [status_id] = scene.post(f"#heath for @{scene.login('ben')}")
    for stream in ("hashtag", "list"):
        name, status = streams[stream].next()
        assert (name, status.id) == ("update", str(status_id))
    events = dict(streams["user"].next() for _ in range(2))  # in either order
    assert events["update"].id == str(status_id)
    assert events["notification"].type == "mention"
    assert events["notification"].account.id == str(scene.ann)
    scene.do(statuses.delete, scene.ann, status_id)
    for listener in streams.values():
        assert listener.next()[0] == "delete"


def test_visitors_hear_what_is_for_everybody(scene: Scene) -> None:
    for path in ("public", "public/local", "hashtag?tag=heath"):
        reader = Reader(scene.port, path=f"{PREFIX}/{path}")
        scene.readers.append(reader)
        assert reader.response.headers["Access-Control-Allow-Origin"] == "*"
        [status_id] = scene.post("#heath")
        event = reader.next()
        assert event and (event.event, event.data["id"]) == ("update", str(status_id))
        assert event.data["favourited"] is False


def test_refusals_are_json(scene: Scene) -> None:
    token = app_token(scene.site, scene.ben, "read:notifications")
    own = {"Authorization": f"Bearer {token}"}
    for path, headers, status in (
        ("user", {}, 401),
        ("user?access_token=linnet_1_no", {}, 401),
        ("user", own, 403),
        ("local", own, 404),
        ("list?list=1", {}, 401),
        ("hashtag", {}, 422),
    ):
        found, sent, body = send_request(scene.port, f"{PREFIX}/{path}", headers=headers)
        assert found == status and json.loads(body)["error"], path
        assert sent["Access-Control-Allow-Origin"] == "*"
    lists_token = app_token(scene.site, scene.ben, "read:lists")
    missing = f"{PREFIX}/list?list=99&access_token={lists_token}"
    assert send_request(scene.port, missing)[0] == 404
    assert send_request(scene.port, f"{PREFIX}/health")[2] == b"OK"
    status, sent, _ = send_request(scene.port, f"{PREFIX}/user", "OPTIONS")
    assert status == 204 and "Authorization" in sent["Access-Control-Allow-Headers"]


def test_visitors_hear_nothing_where_they_may_not_stream(running_site: RunningSite) -> None:
    with scene_on(running_site) as scene:
        scene.begin(anonymous_sample=False)
        assert send_request(scene.port, f"{PREFIX}/public")[0] == 401
        token = app_token(running_site, scene.ann)
        reader = Reader(scene.port, path=f"{PREFIX}/public?access_token={token}")
        scene.readers.append(reader)
        assert reader.response.status == 200

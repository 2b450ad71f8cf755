"""Third-party clients of version 1.1, unchanged but for the host, and plain HTTP clients."""

import json
import os
import subprocess
import warnings
from collections.abc import Iterator
from threading import Thread
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest
import requests
from requests.adapters import HTTPAdapter

from tests.support.processes import PATIENCE, RunningSite
from tests.support.streaming.api_client import V11, Stage
from tests.support.streaming.client import PROCESSES, Scene, scene_on
from webapp.accounts.tokens import apps
from webapp.accounts.tokens.apps import AppCredentials

pytestmark = PROCESSES

with warnings.catch_warnings():  # they were written for an older Python
    warnings.simplefilter("ignore", DeprecationWarning)
    import tweepy
    import TwitterAPI

HOST = "stream.twitter.com"  # the host that these clients call and sign for, unless told otherwise


@pytest.fixture(scope="module")
def stage(running_site: RunningSite) -> Iterator[Stage]:
    """One stream process, whose public address is the clients' own."""
    with scene_on(running_site) as scene:
        scene.begin(stream_url=f"https://{HOST}")
        yield Stage(scene)


@pytest.fixture
def scene(stage: Stage) -> Scene:
    """The site."""
    return stage.scene


@pytest.fixture
def pair(scene: Scene) -> AppCredentials:
    """A new member's app."""
    uid = scene.join(f"wren{len(scene.log())}x{os.urandom(3).hex()}")
    return apps.create(scene.site, uid, "reader")


class Loopback(HTTPAdapter):
    """Pass requests to a host over TLS on to the stream process, as a proxy does."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port

    def send(
        self, request: requests.PreparedRequest, *args: Any, **options: Any
    ) -> requests.Response:  # type: ignore[override]
        parts = urlsplit(request.url or "")
        request.headers["Host"] = str(parts.netloc)
        request.url = urlunsplit(parts._replace(scheme="http", netloc=f"127.0.0.1:{self._port}"))  # type: ignore[arg-type]
        return super().send(request, *args, **options)


@pytest.fixture
def tunnel(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every session of `requests` finds the stream process under the clients' host."""
    begin = requests.Session.__init__

    def begun(session: requests.Session) -> None:
        begin(session)
        session.mount(f"https://{HOST}/", Loopback(scene.port))

    monkeypatch.setattr(requests.Session, "__init__", begun)


class Listener(tweepy.StreamListener):  # type: ignore[misc]
    """Records what tweepy reports, up to a number of statuses."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit, self.connected = limit, False
        self.statuses: list[Any] = []
        self.deleted: list[int] = []
        self.errors: list[int] = []

    def on_connect(self) -> None:
        self.connected = True

    def on_status(self, status: Any) -> bool:
        self.statuses.append(status)
        return len(self.statuses) < self.limit

    def on_delete(self, status_id: int, user_id: int) -> None:
        self.deleted.append(status_id)

    def on_error(self, status_code: int) -> bool:
        self.errors.append(status_code)
        return False


def with_tweepy(pair: AppCredentials, listener: Listener, **options: Any) -> tweepy.Stream:
    """Return a tweepy stream that signs its requests."""
    auth = tweepy.OAuthHandler(pair.consumer_key, pair.consumer_secret)
    auth.set_access_token(pair.token, pair.token_secret)
    return tweepy.Stream(auth, listener, timeout=PATIENCE, daemon=True, **options)


def until_ended(scene: Scene, thread: Thread, text: str) -> list[int]:
    """Post until a client has enough: it reads in pieces and waits to fill the last one."""
    posted = []
    while thread.is_alive():
        posted += scene.post(text)
        thread.join(0.05)
        assert len(posted) < 1_000, "the client gets nothing"
    return posted


def test_tweepy_filters_and_samples(scene: Scene, pair: AppCredentials, tunnel: None) -> None:
    listener = Listener(3)
    stream = with_tweepy(pair, listener)
    stream.filter(
        track=["wren song", "麻雀, 手机"],
        languages=["en", "und", "zh"],
        stall_warnings=True,
        is_async=True,
    )
    text = "今天早上花园里有一只麻雀在唱歌 & <wren>"
    posted = until_ended(scene, stream._thread, text)
    assert listener.connected and not listener.errors
    ids = [status.id for status in listener.statuses]
    assert posted[posted.index(ids[0]) :][:3] == ids
    first = listener.statuses[0]
    expected = (text, "ann", scene.ann, "zh")
    assert (first.text, first.user.screen_name, first.user.id, first.lang) == expected
    assert first.created_at.year > 2000 and first.entities["hashtags"] == []
    sample = Listener(1)
    stream = with_tweepy(pair, sample)
    stream.sample(is_async=True)
    assert sample.limit == 1
    until_ended(scene, stream._thread, "anything")
    assert len(sample.statuses) == 1


def test_tweepy_gets_the_status_of_a_refusal(
    scene: Scene, pair: AppCredentials, tunnel: None
) -> None:
    for wrong, status in (
        (pair, 403),
        (AppCredentials(pair.consumer_key, "no", pair.token, pair.token_secret), 401),
    ):
        listener = Listener(1)
        with_tweepy(wrong, listener).firehose()
        assert listener.errors == [status]
    listener = Listener(1)
    with_tweepy(pair, listener).filter(track=["x" * 61])
    assert listener.errors == [406]


def test_twitter_api_filters(scene: Scene, pair: AppCredentials, tunnel: None) -> None:
    keys = pair.consumer_key, pair.consumer_secret, pair.token, pair.token_secret
    client = TwitterAPI.TwitterAPI(*keys, api_version="1.1")
    answer = client.request(
        "statuses/filter", {"track": "dunnock,麻雀 & co", "follow": str(scene.ann)}
    )
    assert answer.status_code == 200, answer.text
    found: list[Any] = []

    def read() -> None:
        for item in answer:
            found.append(item)
            if len(found) == 3:
                return

    thread = Thread(target=read, daemon=True)
    thread.start()
    posted = until_ended(scene, thread, "a dunnock 🐦")
    assert [item["id"] for item in found] == posted[posted.index(found[0]["id"]) :][:3]
    answer.close()


def test_curl_reads_line_by_line(scene: Scene, stage: Stage) -> None:
    url = f"http://127.0.0.1:{scene.port}{V11}filter.json"
    given = [
        "--header",
        f"Authorization: Bearer {stage.token()}",
        "--data-urlencode",
        "track=siskin",
    ]
    command = ["curl", "--silent", "--no-buffer", "--noproxy", "*", *given]
    with subprocess.Popen([*command, url], stdout=subprocess.PIPE) as curl:
        assert curl.stdout
        assert curl.stdout.readline() == b"\r\n"
        [posted] = scene.post("a siskin")
        assert json.loads(curl.stdout.readline())["id"] == posted
        curl.kill()
    with subprocess.Popen([*command, "--compressed", url], stdout=subprocess.PIPE) as curl:
        assert curl.stdout
        assert curl.stdout.readline() == b"\r\n"
        [posted] = scene.post("another siskin")
        assert json.loads(curl.stdout.readline())["id"] == posted
        curl.kill()

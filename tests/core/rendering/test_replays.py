"""Replays: pages that are sent again without their view while the store says the same.

In all tests, each replay is compared with the page that its view makes of the same replies
(tests/support/replays.py). Here pages are compared with those of a process that knows nothing yet.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from flask.testing import FlaskClient
from redis.exceptions import OutOfMemoryError

from tests.core.rendering.acts import ACTS, OTHER_ACTS
from tests.support.pages import post_status, serving, status_ids
from tests.support.replays import session_key
from tests.support.world import Web
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.events.outbox import CLOCK
from webapp.core.rendering.kept_pages import size_of
from webapp.core.rendering.replays import PendingReplay, Replays, StartResponse
from webapp.core.settings.live import LiveSettings
from webapp.core.store import Command
from webapp.core.store.caches.recording import changes_at, recording
from webapp.core.store.client import Db
from webapp.following.mutes.store import is_active
from webapp.rewards.promotions import index as promotions
from webapp.timelines.home import status_cache
from webapp.timelines.trends import current as trends

PATHS = (
    "/home /public /@ann /@ann/replies /@ann/media /@ann/likes /tags/reeds /tags/reeds/hot "
    "/settings /chats /@ann/followers /@ann/following"
).split()
OWN = re.compile(r'name="(?:csrf_token|key)"[^>]* value="[^"]+"|data-page="[^"]+"')
ALL_ACTS = ACTS | OTHER_ACTS
LOADS = 3  # so that the last is a replay: the first is seen, the second is recorded


@pytest.fixture
def settings(settings: Config) -> Config:
    """The settings of an app that reads statuses of others at each load."""
    return replace(settings, status_seconds=0, merged_seconds=0)


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of pages that were sent without their view."""
    monkeypatch.setattr(trends, "REMEMBERED_SECONDS", 0)
    monkeypatch.setattr(promotions, "REFRESH_SECONDS", 3_600)
    paths: list[str] = []
    real = Replays._send

    def noted(
        self: Replays, asked: PendingReplay, replies: list[object], start: StartResponse
    ) -> Iterable[bytes]:
        paths.append(asked.environ["PATH_INFO"])
        return real(self, asked, replies, start)

    monkeypatch.setattr(Replays, "_send", noted)
    return paths


def load(client: FlaskClient, path: str, times: int = LOADS) -> str:
    """Open a page some times. Return its last text."""
    return [client.get(path).text for _ in range(times)][-1]


def refuse(patch: pytest.MonkeyPatch, refused: Callable[[Command], bool]) -> None:
    """Let the store have no memory for some commands."""
    real = Db._trip

    def trip(self: Db, commands: Sequence[Command]) -> list[Any]:
        replies = zip(commands, real(self, commands), strict=True)
        return [OutOfMemoryError("OOM") if refused(one) else reply for one, reply in replies]

    patch.setattr(Db, "_trip", trip)


def browser_of(app: Flask, reader: FlaskClient) -> FlaskClient:
    """Return a browser of another process's app, with the cookies of a reader."""
    browser = app.test_client()
    browser._cookies = reader._cookies
    return browser


def reads_a_status(command: Command) -> bool:
    return "status:" in str(command[1:2])


def test_the_third_time_a_page_is_sent_without_its_view(
    web: Web, author: FlaskClient, replayed: list[str]
) -> None:
    for path in PATHS:
        before = load(author, path, times=2)
        assert path not in replayed
        trips = web.db.trips
        response = author.get(path)
        assert replayed[-1] == path and web.db.trips == trips + 1
        assert OWN.sub("", response.text) == OWN.sub("", before)
        assert int(response.headers["Content-Length"]) == len(response.data)
        assert response.headers["X-Request-ID"] != author.get(path).headers["X-Request-ID"]


def test_the_composer_has_another_key_at_each_load(
    reader: FlaskClient, replayed: list[str]
) -> None:
    keys = [
        re.findall(r'name="key"[^>]* value="([^"]+)"', load(reader, "/home", 1)) for _ in range(6)
    ]
    assert len(replayed) == 4
    assert len(set(map(tuple, keys))) == 6


@pytest.mark.slow
@pytest.mark.parametrize("act", ALL_ACTS)
def test_whatever_is_done_the_next_page_is_that_of_a_new_process(
    web: Web, author: FlaskClient, reader: FlaskClient, replayed: list[str], act: str
) -> None:
    """A process that remembers statuses shows it once they are read again."""
    [status] = status_ids(author.get("/@ann"))
    for path in PATHS:
        load(reader, path)
    assert len(replayed) == len(PATHS)
    with serving(replace(web.config, status_seconds=60)) as remembering:
        later = browser_of(remembering, reader)
        load(later, "/home")
        assert len(replayed) == len(PATHS) + 1
        answer = ALL_ACTS[act](author, reader, status)
        assert getattr(answer, "status_code", 204) in (204, 303), act
        reader.get("/settings/profile")  # shows the notice of the act
        with serving(web.config) as other:
            stranger = browser_of(other, reader)
            expected = {path: OWN.sub("", stranger.get(path).text) for path in PATHS}
        for path in PATHS:
            assert OWN.sub("", reader.get(path).text) == expected[path], path
        let_a_minute_pass(Web(remembering))
        assert OWN.sub("", later.get("/home").text) == expected["/home"]


def test_each_language_and_address_has_its_own(reader: FlaskClient, replayed: list[str]) -> None:
    assert 'lang="en"' in load(reader, "/home")
    chinese = {"Accept-Language": "zh-CN"}
    texts = [reader.get("/home", headers=chinese).text for _ in range(LOADS)]
    assert all('lang="zh-Hans"' in text for text in texts)
    assert reader.get("/home?max_id=1").text != reader.get("/home").text
    assert replayed == ["/home"] * 3


def test_where_a_reader_comes_from_makes_no_other_page(
    reader: FlaskClient, replayed: list[str]
) -> None:
    for place in ("/public", "/home", "/@ann"):
        came = {"Referer": f"http://localhost{place}", "Sec-Fetch-Site": "same-origin"}
        reader.get("/home", headers=came)
    assert replayed == ["/home"]
    reader.get("/home", headers={"Accept-Language": "en", "Traceparent": "00-1"})
    assert replayed == ["/home"]


def test_an_ended_session_gets_no_page(web: Web, reader: FlaskClient, replayed: list[str]) -> None:
    load(reader, "/home")
    web.db.run(("DEL", session_key(reader)))
    response = reader.get("/home")
    assert response.status_code == 303 and "/login" in response.location
    assert replayed == ["/home"]


def test_a_session_is_extended_also_by_replays(
    web: Web, reader: FlaskClient, replayed: list[str]
) -> None:
    load(reader, "/home")
    web.db.run(("HSET", session_key(reader), "seen", "1"))
    assert "linnet=" in reader.get("/home").headers["Set-Cookie"]
    assert "Set-Cookie" not in reader.get("/home").headers
    reader.get("/home")
    assert replayed == ["/home"] * 2


def test_a_changed_setting_changes_the_page(
    web: Web, reader: FlaskClient, replayed: list[str]
) -> None:
    load(reader, "/home")
    live: LiveSettings = web.app.extensions["linnet.settings"]
    live.apply("1", {"site_name": "Reedbed"})
    assert "Reedbed" in reader.get("/home").text
    assert replayed == ["/home"]


def test_an_announcement_ends_in_replays(
    web: Web, reader: FlaskClient, replayed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hour = time.time() // 3_600 * 3_600 + 3_600  # the next one
    end = datetime.fromtimestamp(hour + 600, UTC)
    live: LiveSettings = web.app.extensions["linnet.settings"]
    news = {"announcement_en": "A storm comes", "announcement_until": f"{end:%Y-%m-%d %H:%M}"}
    live.apply("1", news)
    monkeypatch.setattr("time.time", lambda: hour + 1)
    assert "A storm comes" in load(reader, "/home") and replayed == ["/home"]
    monkeypatch.setattr("time.time", lambda: hour + 601)
    assert "A storm comes" not in reader.get("/home").text


def test_the_time_left_of_a_poll_changes_in_replays(
    author: FlaskClient,
    reader: FlaskClient,
    replayed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    post_status(author, "who sings?", option1="lark", option2="wren", poll_minutes="60")
    for seconds, shown in ((0, "1 hour left"), (40, "59 minutes left")):
        monkeypatch.setattr("time.time", partial(float, time.time() + seconds))
        before = len(replayed)
        assert shown in load(reader, "/home") and len(replayed) > before


def test_a_record_counts_its_page_with_the_values_it_is_made_of(
    reader: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real = Replays._send

    def noted(
        self: Replays, asked: PendingReplay, replies: list[object], start: StartResponse
    ) -> Iterable[bytes]:
        replay = asked.replay
        of_record = replay.recorded.size + len(replay.packed)
        sizes.append(replay.size - of_record - size_of(replay.sent.page))
        return real(self, asked, replies, start)

    monkeypatch.setattr(Replays, "_send", noted)
    load(reader, "/settings")
    assert sizes == [0]


def test_the_next_hour_makes_the_page_again(
    reader: FlaskClient, replayed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(reader, "/home")
    later = time.time() + 3_600
    monkeypatch.setattr("time.time", lambda: later)
    reader.get("/home")
    assert replayed == ["/home"]


def test_what_ends_soon_is_recorded_with_its_end() -> None:
    soon = time.time() + 60
    assert is_active(soon)  # nothing is recorded
    with recording({}) as recorded:
        assert is_active(soon) and not is_active(1)
        changes_at(soon + 1)
    assert recorded.changes_at == soon


def test_known_replies_stand_for_one_command_each() -> None:
    sent: list[object] = []

    def send(commands: object) -> list[str]:
        sent.extend(commands)  # type: ignore[arg-type]
        return ["new" for _ in commands]  # type: ignore[attr-defined]

    with recording({("GET", "a"): "known"}) as recorded:
        expected = ["known", "new", "new"]
        assert recorded.trip([("GET", "a"), ("GET", "b"), ("GET", "a")], send) == expected
        assert recorded.trip([("ZREM", "c", "d")], send) == ["new"]
    assert sent == [("GET", "b"), ("GET", "a"), ("ZREM", "c", "d")]
    assert recorded.after_first_trip == [("ZREM", "c", "d")]


def test_a_store_that_does_not_answer_is_said(
    reader: FlaskClient, replayed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(reader, "/home")

    def fail(*_: object) -> None:
        raise Unavailable("store_down")

    with monkeypatch.context() as broken:
        broken.setattr(Db, "_trip", fail)
        assert reader.get("/home").status_code == 503
    reader.get("/home")
    assert replayed == ["/home"] * 2


def test_readers_at_once_see_each_post_from_its_answer_on(
    web: Web, author: FlaskClient, reader: FlaskClient, replayed: list[str]
) -> None:
    def browse(posted: list[int]) -> bool:
        browser = browser_of(web.app, reader)
        for _ in range(15):
            expected = posted[-1:]
            if expected and expected[0] not in status_ids(browser.get("/home")):
                return False
        return True

    posted: list[int] = [post_status(author, "a first song")]
    with ThreadPoolExecutor(4) as pool:
        loads = [pool.submit(browse, posted) for _ in range(4)]
        for number in range(8):
            posted.append(post_status(author, f"song {number}"))
        assert all(load.result() for load in loads)
    assert replayed


def test_the_log_says_the_path_and_the_id_of_a_replay(
    reader: FlaskClient, replayed: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    post_status(reader, "water #芦苇")
    load(reader, "/tags/芦苇", times=2)
    with caplog.at_level("INFO"):
        caplog.clear()
        reader.get("/tags/芦苇")
    assert len(replayed) == 1
    assert [record.getMessage().split()[1] for record in caplog.records] == [quote("/tags/芦苇")]


def test_a_clock_that_does_not_answer_is_an_error_like_others(
    reader: FlaskClient, replayed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(reader, "/home")
    with monkeypatch.context() as broken:
        refuse(broken, lambda command: command == CLOCK)
        assert reader.get("/home").status_code == 503
    assert replayed == ["/home"]


@pytest.mark.slow
def test_older_pages_are_replayed_too(
    author: FlaskClient, reader: FlaskClient, replayed: list[str]
) -> None:
    for number in range(3):
        post_status(author, f"song {number} of the #reeds")
    newest = status_ids(author.get("/@ann"))[0]
    for path in PATHS:
        replayed.clear()
        older = f"{path}?max_id={newest}"
        text = load(reader, older)
        assert replayed == [path]
        assert OWN.sub("", text) == OWN.sub("", reader.get(older, headers={"X-New": "1"}).text)


def remember_statuses(web: Web) -> None:
    """Let the site remember statuses of others for a minute."""
    web.app.extensions["linnet.config"] = replace(web.config, status_seconds=60)


def let_a_minute_pass(web: Web) -> None:
    """Make what is remembered too old."""
    remembered = status_cache._cache._values[web.db]
    remembered.update({id_: (at - 61, status) for id_, (at, status) in remembered.items()})


def read_statuses(web: Web, client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Open a home in one trip. Return the keys of the statuses that are read."""
    trips, sent, real = web.db.trips, list[Command](), Db._trip

    def noted(self: Db, commands: Sequence[Command]) -> list[Any]:
        sent.extend(commands)
        return real(self, commands)

    with monkeypatch.context() as noting:
        noting.setattr(Db, "_trip", noted)
        client.get("/home")
    assert web.db.trips == trips + 1
    return [
        str(name)
        for name in (part for command in sent for part in command[1:2])
        if str(name).startswith("status:")
    ]


def test_statuses_are_read_again_when_they_are_too_old(
    web: Web, reader: FlaskClient, replayed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_statuses(web)
    load(reader, "/home")
    assert replayed == ["/home"] and not read_statuses(web, reader, monkeypatch)
    let_a_minute_pass(web)
    assert len(read_statuses(web, reader, monkeypatch)) == 1
    assert not read_statuses(web, reader, monkeypatch)
    assert replayed == ["/home"] * 4


def test_a_store_that_refuses_to_read_statuses_again_is_said(
    web: Web, reader: FlaskClient, replayed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_statuses(web)
    load(reader, "/home")
    let_a_minute_pass(web)
    with monkeypatch.context() as broken:
        refuse(broken, reads_a_status)
        assert reader.get("/home").status_code == 503
    assert reader.get("/home").status_code == 200


def test_a_session_is_extended_although_statuses_are_not_read_again(
    web: Web, reader: FlaskClient, replayed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_statuses(web)
    load(reader, "/home")
    let_a_minute_pass(web)
    web.db.run(("HSET", session_key(reader), "seen", "1"))
    refused: list[Command] = []

    def is_first(command: Command) -> bool:
        if refused or not reads_a_status(command):
            return False
        refused.append(command)
        return True

    refuse(monkeypatch, is_first)
    response = reader.get("/home")
    assert response.status_code == 200 and "linnet=" in response.headers["Set-Cookie"]
    assert refused

"""Streams of homes and profiles over HTTP: what they send, who may read, coming back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest

from tests.support.processes import Site
from tests.support.streaming.client import (
    Reader,
    Scene,
    ask,
    broken_off,
    ids,
    marked,
    remaining,
    scene_on,
)
from webapp.accounts import lifecycle
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.config import load
from webapp.statuses import store as statuses
from webapp.streaming import keys as stream_keys
from webapp.streaming.http.requests import Request
from webapp.timelines.tags import store as tags

HOME = "/stream/home"


@pytest.fixture(scope="module")
def long_running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One store for the tests of this module."""
    site = Site(tmp_path_factory.mktemp("live"))
    yield site
    site.close()


@pytest.fixture
def scene(long_running: Site) -> Iterator[Scene]:
    """An empty site with ann, who writes, ben, who follows her, and cid."""
    with scene_on(long_running) as scene:
        scene.ben, scene.cid = scene.join("ben"), scene.join("cid")
        scene.follow(scene.ben, "ann")
        yield scene


def home(scene: Scene, uid: int, last: str | None = None, query: str = "") -> Reader:
    """A member's home stream, in a session of its own."""
    return scene.read(last, path=HOME + query, headers=scene.sign_in(uid))


def told(reader: Reader, count: int) -> list[tuple[str, int]]:
    """The next events and what they are about."""
    return [
        (sent.event, int(sent.data.get("id") or sent.data["account"]))
        for sent in reader.take(count)
    ]


# Who hears what


@marked
def test_a_home_hears_those_it_follows_and_itself_and_nobody_else(scene: Scene) -> None:
    scene.begin()
    ben, cid = home(scene, scene.ben), home(scene, scene.cid)
    [by_ann], [by_cid], [by_ben] = (
        scene.post(author=uid) for uid in (scene.ann, scene.cid, scene.ben)
    )
    scene.delete(by_ann)
    assert told(ben, 3) == [("update", by_ann), ("update", by_ben), ("delete", by_ann)]
    [last] = scene.post(author=scene.cid)
    assert ids(cid.take(2)) == [by_cid, last]


@marked
def test_follows_and_unfollows_take_effect_in_an_open_home(scene: Scene) -> None:
    scene.begin()
    readers = [home(scene, scene.ben) for _ in range(2)]  # two tabs
    scene.unfollow(scene.ben, "ann")
    scene.post()
    scene.follow(scene.ben, "cid")
    [by_cid] = scene.post(author=scene.cid)
    scene.unfollow(scene.ben, "cid")
    scene.post(author=scene.cid)
    scene.follow(scene.ben, "ann")
    [by_ann] = scene.post()
    assert [ids(reader.take(2)) for reader in readers] == [[by_cid, by_ann]] * 2


@marked
def test_a_home_opened_while_follows_change_hears_what_is_so_in_the_end(scene: Scene) -> None:
    program = scene.begin()
    program.send_all(SIGSTOP)
    for _ in range(3):  # whatever of this the process reads before and after it asks the store
        scene.unfollow(scene.ben, "ann")
        scene.follow(scene.ben, "ann")
    scene.follow(scene.ben, "cid")
    scene.unfollow(scene.ben, "cid")
    program.send_all(SIGCONT)
    ben = home(scene, scene.ben)
    scene.post(author=scene.cid)
    [by_ann] = scene.post()
    assert ids(ben.take(1)) == [by_ann]


@marked
def test_a_tag_hears_what_has_it_and_that_it_is_gone(scene: Scene) -> None:
    scene.begin()
    reader = scene.read(path="/stream/tag/%E9%BA%BB%E9%9B%80")
    scene.post("no tag", author=scene.cid)
    [one] = scene.post("one #麻雀", author=scene.cid)
    statuses.delete(scene.site.db, scene.site.config, scene.cid, one)
    scene.apply()
    [two] = scene.post("two #麻雀")
    assert told(reader, 3) == [("update", one), ("delete", one), ("update", two)]
    for path in (
        "/stream/tag/Birds",
        "/stream/tag/",
        "/stream/tag",
        "/stream/tag/a.b",
        "/stream/tag/a/b",
    ):
        assert ask(scene.port, path)[0] == 404


@marked
def test_an_open_home_hears_what_followed_tags_bring_until_they_change(scene: Scene) -> None:
    db, config = scene.site.db, scene.site.config
    tags.follow(db, config, scene.cid, "birds")
    scene.apply()
    scene.begin()
    cid = home(scene, scene.cid)
    scene.post("no tag at all")
    [tagged] = scene.post("look, #Birds")
    assert told(cid, 1) == [("update", tagged)]
    scene.delete(tagged)
    assert told(cid, 1) == [("delete", tagged)]
    tags.unfollow(db, config, scene.cid, "birds")
    scene.apply()
    assert remaining(cid) == []  # the stream ends, to come back with what is followed by then
    tags.follow(db, config, scene.cid, "reeds")
    scene.apply()
    again = home(scene, scene.cid)
    scene.post("more #birds")
    [reeds] = scene.post("in #reeds")
    assert told(again, 1) == [("update", reeds)]


@marked
def test_a_profile_hears_its_author_alone(scene: Scene) -> None:
    scene.begin()
    reader = scene.read(path=f"/stream/profile/{scene.ann}")
    scene.post(author=scene.cid)
    [by_ann] = scene.post()
    assert ids(reader.take(1)) == [by_ann]


@marked
def test_of_a_suspended_or_deleted_author_those_who_show_them_hear_that_they_are_hidden(
    scene: Scene,
) -> None:
    scene.begin()
    db, config = scene.site.db, scene.site.config
    everybody, ben, cid = scene.read(), home(scene, scene.ben), home(scene, scene.cid)
    lifecycle.suspend(db, config, scene.ann)
    scene.apply()
    lifecycle.suspend(db, config, scene.ann, False)
    scene.apply()
    [posted] = scene.post()
    for reader in (ben, everybody):  # before it is gone, or there would be nothing to tell
        assert told(reader, 2) == [("hide", scene.ann), ("update", posted)]
    lifecycle.delete_account(db, config, scene.ann, None)
    scene.apply()
    [last] = scene.post(author=scene.cid)
    assert told(ben, 1) == [("hide", scene.ann)]
    assert told(everybody, 2) == [("hide", scene.ann), ("update", last)]
    assert told(cid, 1) == [("update", last)]


# Who is let in


@marked
def test_a_home_without_good_credentials_is_refused(scene: Scene) -> None:
    scene.begin()
    cookie = scene.sign_in(scene.ben)["Cookie"]
    for headers in (
        {},
        {"Cookie": cookie[:-1]},
        {"Cookie": "linnet=x"},
        {"Cookie": 'linnet="\\777'},
        {"Authorization": "Bearer x"},
        {"Authorization": f"Bearer linnet_{scene.ben}_{'x' * 43}", "Cookie": cookie},
    ):
        answer, got, _ = ask(scene.port, HOME, headers=headers)
        assert (answer, got["WWW-Authenticate"]) == (401, "Bearer")


@marked
def test_a_home_is_read_with_an_access_token_until_it_is_revoked(scene: Scene) -> None:
    scene.begin()
    db, config = scene.site.db, scene.site.config
    token = tokens.create(db, config, scene.ben, "a script")
    reader = scene.read(path=HOME, headers={"Authorization": f"Bearer {token}"})
    posted = scene.post()
    assert ids(reader.take(1)) == posted
    [listed] = tokens.list_tokens(db, scene.ben)
    tokens.revoke(db, config, scene.ben, listed.sha)
    scene.apply()
    scene.post()
    assert remaining(reader) == []
    assert ask(scene.port, HOME, headers={"Authorization": f"Bearer {token}"})[0] == 401


@marked
def test_signing_out_ends_the_streams_of_that_session_and_of_no_other(scene: Scene) -> None:
    scene.begin()
    mine = scene.sign_in(scene.ben)
    first, second = (scene.read(path=HOME, headers=mine) for _ in range(2))
    elsewhere, cid = home(scene, scene.ben), home(scene, scene.cid)
    sessions.end(scene.site.db, scene.site.config, mine["Cookie"].partition("linnet=")[2])
    scene.apply()
    [posted] = scene.post()
    assert remaining(first) == remaining(second) == []
    assert ids(elsewhere.take(1)) == [posted]
    posted = scene.post(author=scene.cid)
    assert ids(cid.take(1)) == posted
    assert ask(scene.port, HOME, headers=mine)[0] == 401


@marked
def test_a_suspended_or_deleted_member_hears_nothing_more(scene: Scene) -> None:
    scene.begin()
    ben, cid = home(scene, scene.ben), home(scene, scene.cid)
    lifecycle.suspend(scene.site.db, scene.site.config, scene.ben)
    lifecycle.delete_account(scene.site.db, scene.site.config, scene.cid, None)
    scene.apply()
    scene.post()
    assert remaining(ben) == remaining(cid) == []


@marked
def test_pages_of_other_sites_read_what_is_public_and_no_home(scene: Scene) -> None:
    scene.begin()
    port = scene.site.config.port
    ours, cookie = f"http://127.0.0.1:{port}", scene.sign_in(scene.ben)
    for origin in (ours, f"https://127.0.0.1:{port}"):
        answer, headers, _ = head(scene, HOME, cookie | {"Origin": origin})
        assert answer == 200
        assert headers["Access-Control-Allow-Origin"] == origin
        assert headers["Access-Control-Allow-Credentials"] == "true"
        assert headers["Vary"] == "Origin"
    for origin in (
        "null",
        "http://127.0.0.1",
        f"http://localhost:{port}",
        f"{ours}0",
        f"{ours}.example",
        "http://[",
        "",
    ):
        answer, headers, _ = head(scene, HOME, cookie | {"Origin": origin})
        assert (answer, headers["Access-Control-Allow-Origin"], headers["Vary"]) == (
            401,
            None,
            "Origin",
        )
        answer, headers, _ = head(scene, "/stream/public", cookie | {"Origin": origin})
        assert (answer, headers["Access-Control-Allow-Origin"]) == (200, "*")
        assert headers["Access-Control-Allow-Credentials"] is None
    assert head(scene, HOME, cookie)[0] == 200


def head(scene: Scene, path: str, headers: dict[str, str]) -> tuple[int, Any, bytes]:
    return ask(scene.port, path, "HEAD", headers)


@pytest.mark.parametrize(
    ("site_url", "host", "origin", "ours"),
    [
        ("https://linnet.example", "streams.linnet.example", "https://linnet.example", True),
        ("https://linnet.example", "streams.linnet.example", "http://linnet.example", False),
        (
            "https://linnet.example",
            "streams.linnet.example",
            "https://streams.linnet.example",
            False,
        ),
        ("", "linnet.example", "https://linnet.example", True),
        ("", "linnet.example:8001", "http://LINNET.example:8000", True),
        ("", "linnet.example:8001", "http://linnet.example:9000", False),
        ("", "linnet.example:8001", "ftp://linnet.example:8000", False),
        ("", "[::1]:8001", "http://[::1]:8000", True),
        ("", "linnet.example:x", "http://linnet.example:8000", False),
        ("", "", "http://:8000", False),
    ],
)
def test_which_pages_are_ours(site_url: str, host: str, origin: str, ours: bool) -> None:
    given = [(b"host", host.encode()), (b"origin", origin.encode())]
    request = Request({"method": "GET", "path": HOME, "headers": given, "query_string": b""})
    assert request.is_same_origin(replace(load({}, {}), site_url=site_url)) is ours


# Coming back


@marked
def test_a_home_comes_back_after_kill_9_and_misses_and_repeats_nothing(scene: Scene) -> None:
    program = scene.begin()
    ben = home(scene, scene.ben)
    posted = scene.post(count=3)
    assert ids(ben.take(3)) == posted
    program.kill()
    broken_off(ben)
    scene.post(author=scene.cid)
    missed = scene.post(count=3)
    scene.begin()
    for query, last in (
        (f"?since={ben.last}", None),
        ("", ben.last),
        (f"?page={ben.last}&since={ben.last}", None),
    ):
        reader = home(scene, scene.ben, last, query)
        assert (
            ids(reader.take(3)) == missed
        )  # from the log in the store: this process has not seen them
    missed += scene.post()
    assert ids(home(scene, scene.ben, ben.last).take(4)) == missed
    assert ids(reader.take(1)) == missed[-1:]


@marked
def test_a_page_hears_the_seconds_before_it_was_made_too(scene: Scene) -> None:
    scene.begin()
    [posted] = scene.post()
    page = f"?page={scene.log()[-1]}"
    after = scene.post(count=2)
    assert ids(home(scene, scene.ben, query=page).take(3)) == [posted, *after]
    scene.site.db.run(("DEL", stream_keys.event_log()))
    assert ids(scene.read(path="/stream/public" + page).take(3)) == [posted, *after], (
        "which it does from memory"
    )


@marked
def test_a_page_of_a_new_site_is_not_told_to_reload(long_running: Site) -> None:
    with scene_on(long_running) as scene:
        scene.begin()
        readers = [scene.read(path=f"/stream/public?{name}=0-0") for name in ("page", "since")]
        posted = scene.post()
        assert [ids(reader.take(1)) for reader in readers] == [posted] * 2
        posted += scene.post()
        assert ids(scene.read(path="/stream/public?since=0-0").take(2)) == posted


@marked
def test_a_position_that_the_log_has_lost_brings_a_reload_and_then_what_comes(scene: Scene) -> None:
    scene.post(count=5)
    first, *_, last = scene.log()
    scene.site.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 2))
    scene.begin()
    for query in (f"?since={first}", f"?page={first}", "?since=x", "?page=99999999999999-0"):
        reader = home(scene, scene.ben, query=query)
        [sent] = reader.take(1)
        assert (sent.event, sent.id) == ("reload", last)
        posted = scene.post()
        assert ids(reader.take(1)) == posted
        last = scene.log()[-1]


@marked
def test_what_was_deleted_meanwhile_is_not_sent_to_who_comes_back(scene: Scene) -> None:
    scene.begin()
    ben = home(scene, scene.ben)
    [gone, stays] = scene.post(count=2)
    ben.take(1)
    first = ben.last
    scene.delete(stays)
    assert told(home(scene, scene.ben, first), 1) == [("delete", stays)]
    everything = scene.read(path="/stream/public?since=0-0")
    assert told(everything, 2) == [("update", gone), ("delete", stays)]


@marked
def test_what_a_suspended_author_wrote_is_not_sent_to_who_comes_back(scene: Scene) -> None:
    scene.post(count=2)
    lifecycle.suspend(scene.site.db, scene.site.config, scene.ann)
    scene.apply()
    [by_cid] = scene.post(author=scene.cid)
    program = scene.begin()
    wanted = [("hide", scene.ann), ("update", by_cid)]
    assert told(scene.read(path="/stream/public?since=0-0"), 2) == wanted  # from the store
    assert told(home(scene, scene.ben, query="?since=0-0"), 1) == wanted[:1]
    lifecycle.suspend(scene.site.db, scene.site.config, scene.ann, False)
    scene.post()
    lifecycle.suspend(scene.site.db, scene.site.config, scene.ann)
    scene.apply()
    reader = scene.read(scene.log()[-3])  # from memory
    assert told(reader, 1) == wanted[:1]
    assert program.alive


def test_every_stream_is_named_by_the_page_that_shows_it(client: Any, member: Any) -> None:
    ann = member("ann")
    for browser, path, stream in (
        (ann, "/home", "/stream/home"),
        (client, "/public", "/stream/public"),
        (client, "/@ann", "/stream/profile/1"),
    ):
        page = browser.get(path).text
        assert f'data-stream="http://localhost:8001{stream}"' in page
        assert 'data-page="0-0"' in page
        assert "data-stream" not in browser.get(f"{path}?max_id=5").text

"""Streams of homes and profiles over HTTP: what they send, who may read, coming back."""

import re
from collections.abc import Iterator
from dataclasses import replace
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest

from tests.support.processes import RunningSite, plain
from tests.support.streaming.client import (
    Reader,
    Scene,
    ids,
    mark_processes,
    read_to_end,
    read_until_broken,
    scene_on,
    send_request,
)
from webapp.accounts import lifecycle
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.community.groups import store as groups
from webapp.community.groups.models import Voting
from webapp.config import load
from webapp.statuses import store as statuses
from webapp.statuses.visibility.groups import GroupKind
from webapp.streaming import keys as stream_keys
from webapp.streaming.end_codes import EndCode
from webapp.streaming.http.requests import Request
from webapp.timelines.tags import store as tags

HOME = "/stream/home"


@pytest.fixture
def scene(running_site: RunningSite) -> Iterator[Scene]:
    """An empty site with ann, her follower ben, and cid."""
    with scene_on(running_site) as scene:
        scene.ben, scene.cid = scene.join("ben"), scene.join("cid")
        scene.follow(scene.ben, "ann")
        yield scene


def home(scene: Scene, uid: int, last: str | None = None, query: str = "") -> Reader:
    """Open the home stream of a member in a new session."""
    return scene.read(last, path=HOME + query, headers=scene.sign_in(uid))


def next_events(reader: Reader, count: int) -> list[tuple[str, int]]:
    """Return the next events with the ids of their statuses or accounts."""
    return [
        (event.event, int(event.data.get("id") or event.data["account"]))
        for event in reader.next_events(count)
    ]


@mark_processes
def test_home_gets_its_own_and_followed_authors_only(scene: Scene) -> None:
    scene.begin()
    ben, cid = home(scene, scene.ben), home(scene, scene.cid)
    [by_ann], [by_cid], [by_ben] = (
        scene.post(author=uid) for uid in (scene.ann, scene.cid, scene.ben)
    )
    assert next_events(ben, 2) == [("update", by_ann), ("update", by_ben)]
    scene.delete(by_ann)
    assert next_events(ben, 1) == [("delete", by_ann)]
    [last] = scene.post(author=scene.cid)
    assert ids(cid.next_events(2)) == [by_cid, last]


@mark_processes
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
    assert [ids(reader.next_events(2)) for reader in readers] == [[by_cid, by_ann]] * 2


@mark_processes
def test_home_opened_during_follow_changes_has_the_final_follows(scene: Scene) -> None:
    program = scene.begin()
    program.send_all(SIGSTOP)
    for _ in range(3):  # the process reads some of this before the store and some after
        scene.unfollow(scene.ben, "ann")
        scene.follow(scene.ben, "ann")
    scene.follow(scene.ben, "cid")
    scene.unfollow(scene.ben, "cid")
    program.send_all(SIGCONT)
    ben = home(scene, scene.ben)
    scene.post(author=scene.cid)
    [by_ann] = scene.post()
    assert ids(ben.next_events(1)) == [by_ann]


@mark_processes
@pytest.mark.parametrize(
    ("path", "others", "texts", "not_found"),
    [
        (
            "/stream/tag/%E9%BA%BB%E9%9B%80",
            "no tag",
            ("one #麻雀", "two #麻雀"),
            "/stream/tag /stream/tag/ /stream/tag/%23birds /stream/tag/a.b /stream/tag/a/b",
        ),
        (
            "/stream/search?q=grey+heron",
            "a grey kite",
            ("two herons, both grey", "a grey heron"),
            "/stream/search /stream/search?q= /stream/search?q=%21 /stream/search/heron",
        ),
    ],
    ids=["hashtag", "search"],
)
def test_a_hashtag_and_a_search_get_their_statuses_and_deletions(
    scene: Scene, path: str, others: str, texts: tuple[str, str], not_found: str
) -> None:
    scene.begin()
    reader = scene.read(path=path)
    scene.post(others, author=scene.cid)
    [first] = scene.post(texts[0], author=scene.cid)
    assert next_events(reader, 1) == [("update", first)]
    scene.do(statuses.delete, scene.cid, first)
    [second] = scene.post(texts[1])
    assert next_events(reader, 2) == [("delete", first), ("update", second)]
    for address in not_found.split():
        assert send_request(scene.port, address)[0] == 404


@mark_processes
def test_an_open_group_gets_its_posts_and_a_closed_one_has_no_stream(scene: Scene) -> None:
    kinds, site = list(GroupKind), scene.site
    gids = [
        groups.create(site, scene.ann, kind.value, "Birders", "", kind, Voting.UP) for kind in kinds
    ]
    by_kind = dict(zip(kinds, gids, strict=True))
    scene.apply_events()
    scene.begin()
    open_, told = by_kind[GroupKind.OPEN], by_kind[GroupKind.ANNOUNCEMENTS]
    readers = [scene.read(path=f"/stream/group/{gid}") for gid in (open_, told)]
    scene.post("to no group")
    for gid in (told, open_):
        posted = statuses.post(site, scene.ann, plain("a post"), f"to-{gid}", groups=[gid])
        scene.do(statuses.post, scene.ann, plain("a reply"), f"reply-{gid}", reply=posted)
        [reader] = [one for one, own in zip(readers, (open_, told), strict=True) if own == gid]
        assert next_events(reader, 1) == [("update", posted)]
        scene.delete(posted)
        assert next_events(reader, 1) == [("delete", posted)]
    member = scene.sign_in(scene.ann)
    for gid in (by_kind[GroupKind.CLOSED], 999):
        assert send_request(scene.port, f"/stream/group/{gid}")[0] == 404
        assert send_request(scene.port, f"/stream/group/{gid}", headers=member)[0] == 404


@mark_processes
def test_a_network_opens_so_many_searches(scene: Scene) -> None:
    scene.begin(limit_search="2/60")
    heads = [send_request(scene.port, "/stream/search?q=heron", method="HEAD") for _ in range(3)]
    assert [status for status, *_ in heads] == [200, 200, 429]
    assert send_request(scene.port, "/stream/public", method="HEAD")[0] == 200
    # Its members are counted one by one.
    for uid in (scene.cid, scene.join("dot")):
        head = send_request(scene.port, "/stream/search?q=heron", "HEAD", scene.sign_in(uid))
        assert head[0] == 200


@mark_processes
@pytest.mark.parametrize("name", ["Birds", "birds", "%EF%BC%A2irds"])
def test_tag_may_be_written_in_any_case(scene: Scene, name: str) -> None:
    scene.begin()
    reader = scene.read(path=f"/stream/tag/{name}")
    [status_id] = scene.post("one #BirDs")
    assert next_events(reader, 1) == [("update", status_id)]


@mark_processes
def test_home_gets_followed_tags_and_ends_when_they_change(scene: Scene) -> None:
    scene.do(tags.follow, scene.cid, "birds")
    scene.begin()
    cid = home(scene, scene.cid)
    scene.post("no tag at all")
    [tagged] = scene.post("look, #Birds")
    assert next_events(cid, 1) == [("update", tagged)]
    scene.delete(tagged)
    assert next_events(cid, 1) == [("delete", tagged)]
    scene.do(tags.unfollow, scene.cid, "birds")
    assert read_to_end(cid) == []  # the stream ends; its client reconnects with the new hashtags
    scene.do(tags.follow, scene.cid, "reeds")
    again = home(scene, scene.cid)
    scene.post("more #birds")
    [reeds] = scene.post("in #reeds")
    assert next_events(again, 1) == [("update", reeds)]


@mark_processes
def test_profile_gets_its_author_only(scene: Scene) -> None:
    scene.begin()
    reader = scene.read(path=f"/stream/profile/{scene.ann}")
    scene.post(author=scene.cid)
    [by_ann] = scene.post()
    assert ids(reader.next_events(1)) == [by_ann]


@mark_processes
def test_suspended_or_deleted_author_is_hidden_where_shown(scene: Scene) -> None:
    scene.begin()
    everybody, ben, cid = scene.read(), home(scene, scene.ben), home(scene, scene.cid)
    scene.do(lifecycle.suspend, scene.ann)
    scene.do(lifecycle.suspend, scene.ann, False)
    [posted] = scene.post()
    for reader in (ben, everybody):  # before the account is deleted
        assert next_events(reader, 2) == [("hide", scene.ann), ("update", posted)]
    scene.do(lifecycle.delete_account, scene.ann, None)
    [last] = scene.post(author=scene.cid)
    assert next_events(ben, 1) == [("hide", scene.ann)]
    assert next_events(everybody, 2) == [("hide", scene.ann), ("update", last)]
    assert next_events(cid, 1) == [("update", last)]


@mark_processes
def test_home_needs_valid_credentials(scene: Scene) -> None:
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
        status, received, _ = send_request(scene.port, HOME, headers=headers)
        assert (status, received["WWW-Authenticate"]) == (401, "Bearer")


@mark_processes
def test_access_token_reads_a_home_until_revoked(scene: Scene) -> None:
    scene.begin()
    site = scene.site
    token = tokens.create(site, scene.ben, "a script")
    reader = scene.read(path=HOME, headers={"Authorization": f"Bearer {token}"})
    posted = scene.post()
    assert ids(reader.next_events(1)) == posted
    [listed] = tokens.list_tokens(site.db, scene.ben)
    scene.do(tokens.revoke, scene.ben, listed.id)
    scene.post()
    [end] = read_to_end(reader)
    assert end.data["disconnect"]["code"] == EndCode.REVOKED
    assert send_request(scene.port, HOME, headers={"Authorization": f"Bearer {token}"})[0] == 401


@mark_processes
def test_signing_out_ends_the_streams_of_that_session_only(scene: Scene) -> None:
    scene.begin()
    mine = scene.sign_in(scene.ben)
    first, second = (scene.read(path=HOME, headers=mine) for _ in range(2))
    elsewhere, cid = home(scene, scene.ben), home(scene, scene.cid)
    scene.do(sessions.end, mine["Cookie"].partition("linnet=")[2])
    [posted] = scene.post()
    assert read_to_end(first) == read_to_end(second) == []
    assert ids(elsewhere.next_events(1)) == [posted]
    posted = scene.post(author=scene.cid)
    assert ids(cid.next_events(1)) == posted
    assert send_request(scene.port, HOME, headers=mine)[0] == 401


@mark_processes
def test_suspended_or_deleted_member_gets_nothing_more(scene: Scene) -> None:
    scene.begin()
    ben, cid = home(scene, scene.ben), home(scene, scene.cid)
    lifecycle.suspend(scene.site, scene.ben)
    scene.do(lifecycle.delete_account, scene.cid, None)
    scene.post()
    assert read_to_end(ben) == read_to_end(cid) == []


@mark_processes
def test_other_sites_may_read_public_streams_only(scene: Scene) -> None:
    scene.begin()
    port = scene.site.config.port
    ours, cookie = f"http://127.0.0.1:{port}", scene.sign_in(scene.ben)
    for origin in (ours, f"https://127.0.0.1:{port}"):
        status, headers, _ = head(scene, HOME, cookie | {"Origin": origin})
        assert status == 200
        assert headers["Access-Control-Allow-Origin"] == origin
        assert headers["Access-Control-Allow-Credentials"] == "true"
        assert headers["Vary"] == "Origin"
    foreign = ("null", "http://127.0.0.1", f"http://localhost:{port}", "http://[", "")
    for origin in (*foreign, f"{ours}0", f"{ours}.example"):
        status, headers, _ = head(scene, HOME, cookie | {"Origin": origin})
        assert (status, headers["Vary"]) == (401, "Origin")
        assert headers["Access-Control-Allow-Origin"] is None
        status, headers, _ = head(scene, "/stream/public", cookie | {"Origin": origin})
        assert (status, headers["Access-Control-Allow-Origin"]) == (200, "*")
        assert headers["Access-Control-Allow-Credentials"] is None
    beside = {"Cookie": f"other=\xff; {cookie['Cookie']}"}
    assert head(scene, HOME, cookie)[0] == head(scene, HOME, beside)[0] == 200
    assert head(scene, HOME, {"Origin": ours})[0] == 401, "it opens nothing by itself"


def head(scene: Scene, path: str, headers: dict[str, str]) -> tuple[int, Any, bytes]:
    return send_request(scene.port, path, "HEAD", headers)


@pytest.mark.parametrize(
    ("site_url", "host", "origin", "same"),
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
def test_is_same_origin(site_url: str, host: str, origin: str, same: bool) -> None:
    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    request = Request({"method": "GET", "path": HOME, "headers": headers, "query_string": b""})
    assert request.is_same_origin(replace(load({}, {}), site_url=site_url)) is same


@mark_processes
def test_home_misses_and_repeats_nothing_after_a_kill(scene: Scene) -> None:
    program = scene.begin()
    ben = home(scene, scene.ben)
    posted = scene.post(count=3)
    assert ids(ben.next_events(3)) == posted
    program.kill()
    read_until_broken(ben)
    scene.post(author=scene.cid)
    missed = scene.post(count=3)
    scene.begin()
    for query, last in (
        (f"?since={ben.last}", None),
        ("", ben.last),
        (f"?page={ben.last}&since={ben.last}", None),
    ):
        reader = home(scene, scene.ben, last, query)
        # From the log in the store; this process has not seen them.
        assert ids(reader.next_events(3)) == missed
    missed += scene.post()
    assert ids(home(scene, scene.ben, ben.last).next_events(4)) == missed
    assert ids(reader.next_events(1)) == missed[-1:]


@mark_processes
def test_page_parameter_replays_the_seconds_before_it(scene: Scene) -> None:
    scene.begin()
    [posted] = scene.post()
    page = f"?page={scene.log()[-1]}"
    after = scene.post(count=2)
    assert ids(home(scene, scene.ben, query=page).next_events(3)) == [posted, *after]
    scene.site.db.run(("DEL", stream_keys.event_log()))
    from_memory = scene.read(path="/stream/public" + page)
    assert ids(from_memory.next_events(3)) == [posted, *after]


@mark_processes
def test_page_of_a_new_site_does_not_reload(running_site: RunningSite) -> None:
    with scene_on(running_site) as scene:
        scene.begin()
        readers = [scene.read(path=f"/stream/public?{name}=0-0") for name in ("page", "since")]
        posted = scene.post()
        assert [ids(reader.next_events(1)) for reader in readers] == [posted] * 2
        posted += scene.post()
        assert ids(scene.read(path="/stream/public?since=0-0").next_events(2)) == posted


@mark_processes
def test_trimmed_position_causes_a_reload(scene: Scene) -> None:
    scene.post(count=5)
    first, *_, last = scene.log()
    scene.site.db.run(("XTRIM", stream_keys.event_log(), "MAXLEN", "=", 2))
    scene.begin()
    for query in (f"?since={first}", f"?page={first}", "?since=x", "?page=99999999999999-0"):
        reader = home(scene, scene.ben, query=query)
        [sent] = reader.next_events(1)
        assert (sent.event, sent.id) == ("reload", last)
        posted = scene.post()
        assert ids(reader.next_events(1)) == posted
        last = scene.log()[-1]


@mark_processes
def test_deleted_status_is_not_replayed(scene: Scene) -> None:
    scene.begin()
    ben = home(scene, scene.ben)
    [gone, stays] = scene.post(count=2)
    ben.next_events(1)
    first = ben.last
    scene.delete(stays)
    assert next_events(home(scene, scene.ben, first), 1) == [("delete", stays)]
    everything = scene.read(path="/stream/public?since=0-0")
    assert next_events(everything, 2) == [("update", gone), ("delete", stays)]


@mark_processes
def test_statuses_of_a_suspended_author_are_not_replayed(scene: Scene) -> None:
    scene.post(count=2)
    scene.do(lifecycle.suspend, scene.ann)
    [by_cid] = scene.post(author=scene.cid)
    program = scene.begin()
    expected = [("hide", scene.ann), ("update", by_cid)]
    assert next_events(scene.read(path="/stream/public?since=0-0"), 2) == expected  # from the store
    assert next_events(home(scene, scene.ben, query="?since=0-0"), 1) == expected[:1]
    lifecycle.suspend(scene.site, scene.ann, False)
    scene.post()
    scene.do(lifecycle.suspend, scene.ann)
    reader = scene.read(scene.log()[-3])  # from memory
    assert next_events(reader, 1) == expected[:1]
    assert program.alive


def test_pages_name_their_streams(client: Any, member: Any) -> None:
    ann = member("ann")
    for browser, path, stream in (
        (ann, "/home", "/stream/home"),
        (client, "/public", "/stream/public"),
        (client, "/@ann", "/stream/profile/1"),
    ):
        page = browser.get(path).text
        assert f'data-stream="http://localhost:8001{stream}?"' in page
        assert re.search(r'data-page="\d{13}-0"', page)
        assert "data-stream" not in browser.get(f"{path}?max_id=5").text

"""The streaming API of a stream process: who gets in, what can be asked for, the formats."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import takewhile
from typing import Any

import pytest
from oauthlib.oauth1 import Client

from tests.support.processes import PATIENCE, Site
from tests.support.streaming.api_client import FORM, Api, Stage, bearer, numbers
from tests.support.streaming.client import Scene, ask, marked, scene_on
from webapp.accounts import lifecycle
from webapp.accounts import store as accounts
from webapp.accounts.tokens import apps
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.statuses import store as statuses
from webapp.statuses.attachments import places
from webapp.statuses.attachments.places import Place
from webapp.streaming import keys as stream_keys

KINDS = ("sample", "filter", "firehose")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One store and one stream process for this module; each test has its own members."""
    site = Site(tmp_path_factory.mktemp("api"))
    with scene_on(site) as scene:
        scene.begin(limit_stream="1000000/1", body_deadline=1)
        yield Stage(scene)
    site.close()


@pytest.fixture
def scene(stage: Stage) -> Iterator[Scene]:
    """Its site; what a test opened is closed after it."""
    yield stage.scene
    stage.scene.close()
    stage.scene.readers.clear()


def say(scene: Scene, text: str, place: Place | None = None, author: int = 0) -> int:
    """Posts a status with its entities."""
    site, key = scene.site, f"{text} {len(scene.log())}"
    posted = statuses.post(site.db, site.config, author or scene.ann, parse(text), key, place)
    scene.apply()
    return posted


def _goes_on(message: dict[str, Any]) -> bool:
    return "user_suspend" not in message


def problem(client: Api) -> str:
    """The sentence of a refusal."""
    assert client.response.headers["Content-Type"] == "application/json"
    [error] = json.loads(client.response.read())["errors"]
    assert error["code"] == client.status
    return str(error["message"])


# Who gets in


@marked
@pytest.mark.parametrize("kind", KINDS)
def test_who_does_not_say_who_they_are_is_told_how_to(
    scene: Scene, stage: Stage, kind: str
) -> None:
    for headers in (
        {},
        bearer("linnet_1_no"),
        {"Authorization": "Basic eDp5"},
        {"Authorization": "OAuth x"},
    ):
        client = stage.api(kind, token="", query={"track": "x"}, headers=headers)
        assert client.status == 401
        assert (
            client.response.headers["WWW-Authenticate"]
            == 'OAuth realm="Linnet", Bearer realm="Linnet"'
        )
        assert problem(client)


@marked
def test_the_firehose_and_count_are_for_those_with_the_right(scene: Scene, stage: Stage) -> None:
    token = stage.token()
    client = stage.api("firehose", token)
    assert client.status == 403 and "right" in problem(client)
    for kind in ("sample", "filter"):
        client = stage.api(kind, token, query={"track": "x", "count": "5"})
        assert client.status == 416 and "firehose" in problem(client)
    assert stage.firehose().status == 200


@marked
def test_what_cannot_be_used_is_refused_in_words(scene: Scene, stage: Stage) -> None:
    token = stage.token(0, "firehose")
    for kind, query, status, word in (
        ("filter", {}, 406, "track"),
        ("filter", {"track": " , ,"}, 406, "track"),
        ("filter", {"track": "x" * 61}, 406, "phrase"),
        ("filter", {"track": ",".join(f"w{n}" for n in range(401))}, 413, "phrases"),
        ("filter", {"follow": "nobody_there"}, 406, "follow"),
        ("filter", {"follow": ",".join(map(str, range(1, 5_002)))}, 413, "members"),
        ("filter", {"locations": "1,2,3"}, 406, "four"),
        ("filter", {"locations": "170,-10,-170,10"}, 406, "date line"),
        ("filter", {"locations": ",".join(["1,1,2,2"] * 26)}, 413, "box"),
        ("filter", {"track": "x", "filter_level": "high"}, 406, "filter_level"),
        ("sample", {"language": "!"}, 406, "language"),
        ("sample", {"percent": "0"}, 406, "percent"),
        ("firehose", {"count": "0"}, 416, "count"),
        ("firehose", {"count": "150001"}, 416, "count"),
        ("firehose", {"count": "five"}, 416, "count"),
    ):
        client = stage.api(kind, token, form=query)
        assert (client.status, word in problem(client)) == (status, True), query
    client = stage.api("sample", "", query={"identifier": "x" * 101})
    assert client.status == 406 and "identifier" in problem(client)


@marked
def test_other_addresses_and_methods_are_refused(scene: Scene, stage: Stage) -> None:
    for path in ("/1.1/statuses/", "/1.1/statuses/links.json", "/1.1/statuses/sample", "/2/statuses/sample.json",
                 "/1.1/statuses/sample.json/", "/1.1/1.1/statuses/sample.json", "/statuses/sample.jsonp"):  # fmt: skip
        assert ask(scene.port, path)[0] == 404, path
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        status, headers, _ = ask(scene.port, "/1.1/statuses/sample.json", method)
        assert (status, headers["Allow"]) == (405, "GET, HEAD, POST")


@marked
def test_head_is_answered_as_get_is_without_a_stream(scene: Scene, stage: Stage) -> None:
    uid = scene.join("serin")
    headers = bearer(stage.token(uid))
    streams = [stage.open("sample", headers["Authorization"].split()[1]) for _ in range(2)]
    for path, asked, kind in (
        ("filter.json?track=x", {}, "application/json"),
        ("sample.json", {"Accept": "text/event-stream"}, "text/event-stream; charset=utf-8"),
    ):
        status, given, body = ask(scene.port, f"/1.1/statuses/{path}", "HEAD", {**headers, **asked})
        assert (status, given["Content-Type"], body) == (200, kind, b"")
    assert ask(scene.port, "/1.1/statuses/filter.json", "HEAD", headers)[0] == 406
    assert ask(scene.port, "/1.1/statuses/sample.json", "HEAD")[0] == 401
    assert scene.site.db.run(("ZCARD", stream_keys.connection_slots(uid))) == len(streams)
    lifecycle.suspend(scene.site.db, scene.site.config, uid)
    scene.apply()
    assert [
        one["disconnect"]["code"]
        for client in streams
        for one in client.rest()
        if "disconnect" in one
    ] == [6, 6]


@marked
def test_a_form_is_of_bounded_size_and_comes_in_time(scene: Scene, stage: Stage) -> None:
    client = stage.api("filter", form={"track": "x", "unknown": "x" * 270_000})
    assert client.status == 413 and "bytes" in problem(client)
    slow = b"POST /1.1/statuses/filter.json HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\ntrack="
    with socket.create_connection(("127.0.0.1", scene.port), PATIENCE) as connection:
        connection.sendall(slow)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 408 ")
    with socket.create_connection(("127.0.0.1", scene.port), PATIENCE) as connection:
        connection.sendall(slow)  # and goes away: nobody to answer
    assert stage.open(query={"track": "x"}).status == 200


@marked
def test_another_sites_page_does_not_read_with_a_members_cookie(scene: Scene, stage: Stage) -> None:
    cookie = scene.sign_in(scene.join("goldfinch"))
    own = {**cookie, "Origin": f"http://127.0.0.1:{scene.port}"}
    assert (
        stage.open("sample", "", headers=own).response.headers["Access-Control-Allow-Origin"]
        == own["Origin"]
    )
    assert stage.open("sample", "", headers=cookie).status == 200
    for origin in ("https://elsewhere.example", "null", f"https://127.0.0.1:{scene.port}.example"):
        client = stage.api("sample", "", headers={**cookie, "Origin": origin})
        assert client.status == 401
        assert "Access-Control-Allow-Origin" not in client.response.headers


# What is asked for


@marked
@pytest.mark.parametrize("prefix", ["/1.1/statuses/", "/statuses/"])
def test_both_addresses_answer_both_methods(scene: Scene, stage: Stage, prefix: str) -> None:
    word = f"wren{len(scene.log())}"
    ways: list[dict[str, Any]] = [{"query": {"track": word}}, {"form": {"track": word}}]
    ways += [{"query": {"track": "other"}, "form": {"track": word}}]  # the form wins
    ways += [{"query": {"track": word}, "form": {"stall_warnings": "t"}}]  # and they are merged
    ways += [{"query": {"track": word, "unknown": "1", "with": "user", "replies": "all"}}]
    clients = [stage.open(prefix=prefix, **way) for way in ways]
    for kind in ("sample", "firehose"):
        assert stage.open(kind, stage.token(0, "firehose"), prefix=prefix, form={}).status == 200
    posted = say(scene, f"a {word} sings")
    assert [numbers(client.take(1)) for client in clients] == [[posted]] * len(clients)


@marked
def test_a_filter_is_told_what_it_asked_for_and_nothing_else(scene: Scene, stage: Stage) -> None:
    ben, firehose = scene.join("ben"), stage.firehose()
    follows = ({"follow": str(ben)}, {"follow": "@Ben"}, {"follow": "ben,nobody_there"})
    asked = {
        "track": stage.open(form={"track": "linnet finch,麻雀"}),
        "box": stage.open(form={"locations": "5,50,6,51,-1,-1,1,1"}),
        "language": stage.open(form={"track": "chiffchaff", "language": "de"}),
        "level": stage.open(form={"track": "chiffchaff", "filter_level": "medium"}),
        "any": stage.open(
            form={"track": "siskin", "follow": str(ben), "locations": "100,10,101,11"}
        ),
        **{f"follow {number}": stage.open(form=form) for number, form in enumerate(follows)},
    }
    in_box = Place(50.5, 5.5, "A hedge")
    both, one = say(scene, "A Finch, no: a LINNET!"), say(scene, "only a linnet")
    chinese, here = say(scene, "今天有麻雀。"), say(scene, "here", in_box)
    elsewhere, edge = say(scene, "there", Place(49.9, 5.5)), say(scene, "edge", Place(-1, 1))
    mention, his = say(scene, "hello @ben"), say(scene, "nothing special", author=ben)
    german = say(
        scene, "Der Chiffchaff singt heute morgen sehr schön in unserem Garten hinter dem Haus"
    )
    english = say(
        scene, "The chiffchaff sings beautifully in the garden behind our house this morning"
    )
    siskin = say(scene, "a #Siskin")
    end = say(scene, "linnet finch 麻雀 chiffchaff #siskin", in_box, author=ben)
    wanted = {
        "track": [both, chinese, end],
        "box": [here, edge, end],
        "language": [german],
        "level": [german, english, end],
        "any": [his, siskin, end],
        **{f"follow {number}": [his, end] for number in range(3)},
    }
    assert {
        name: numbers(client.take(len(wanted[name]))) for name, client in asked.items()
    } == wanted
    everything = [
        both,
        one,
        chinese,
        here,
        elsewhere,
        edge,
        mention,
        his,
        german,
        english,
        siskin,
        end,
    ]
    assert numbers(firehose.take(len(everything))) == everything


@marked
def test_a_status_has_the_shape_of_version_1_1(scene: Scene, stage: Stage) -> None:
    dunnock, gone = scene.join("dunnock"), scene.join("gone")
    accounts_of = scene.site.db, scene.site.config
    lifecycle.suspend(*accounts_of, gone)
    scene.apply()
    client = stage.open(form={"track": "shaped"})
    text = "🐦 shaped @Dunnock @gone @nobody_there #麻雀 $LNT www.example.com/x"
    posted = say(scene, text, Place(50.5, -5.25, "A hedge"), author=dunnock)
    [told] = client.take(1)
    assert (told["id"], told["id_str"], told["text"], told["truncated"]) == (
        posted,
        str(posted),
        text,
        False,
    )
    assert re.fullmatch(r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d \+0000 \d{4}", told["created_at"])
    assert told["coordinates"] == {"type": "Point", "coordinates": [-5.25, 50.5]}
    assert told["geo"] == {"type": "Point", "coordinates": [50.5, -5.25]}
    assert told["place"]["full_name"] == "A hedge"
    assert (told["user"]["screen_name"], told["user"]["id"], told["user"]["protected"]) == (
        "dunnock",
        dunnock,
        False,
    )
    for part in (
        "followers_count",
        "friends_count",
        "statuses_count",
        "profile_image_url",
        "created_at",
    ):
        assert part in told["user"]
    for part in ("status_id", "status_id_str", "user_id", "user_id_str", "screen_name"):
        assert told[f"in_reply_to_{part}"] is None
    found = told["entities"]
    assert [one["screen_name"] for one in found["user_mentions"]] == ["dunnock"]
    assert found["user_mentions"][0]["id_str"] == str(dunnock)
    [tag], [symbol], [url] = found["hashtags"], found["symbols"], found["urls"]
    assert (tag["text"], symbol["text"], url["url"]) == ("麻雀", "LNT", "www.example.com/x")
    for one in (found["user_mentions"][0], tag, symbol, url):
        start, end = one["indices"]
        assert text[start:end].lstrip("@#$") in (*one.values(), "Dunnock")
    assert told["lang"] and told["source"].startswith("<a ") and told["timestamp_ms"].isdigit()


@marked
def test_a_reply_says_what_it_answers(scene: Scene, stage: Stage) -> None:
    siskin, brambling = scene.join("siskin"), scene.join("brambling")
    db, config = scene.site.db, scene.site.config
    follow, narrow = (
        stage.open(form={"follow": "siskin"}),
        stage.open(form={"track": "yes", "filter_level": "medium"}),
    )
    post = say(scene, "hedge", author=siskin)
    reply = statuses.post(db, config, brambling, parse("@siskin yes"), "form-reply", reply=post)
    scene.apply()
    end = say(scene, "yes, the end", author=siskin)
    _, told, _ = follow.take(3)
    assert (told["id"], told["user"]["screen_name"], told["filter_level"]) == (
        reply,
        "brambling",
        "low",
    )
    parts = {
        "status_id": post,
        "status_id_str": str(post),
        "user_id": siskin,
        "user_id_str": str(siskin),
    }
    for part, value in {**parts, "screen_name": "siskin"}.items():
        assert told[f"in_reply_to_{part}"] == value
    assert numbers(narrow.take(1)) == [end]  # which leaves replies out


@marked
def test_a_sample_is_a_share_by_id_and_the_same_for_the_same_client(
    scene: Scene, stage: Stage
) -> None:
    site, uid = scene.site, scene.join("sampler")
    clients = {
        "token": stage.open("sample", stage.token(uid)),
        "same member": stage.open("sample", stage.token(uid)),
        "another": stage.open("sample"),
        "fewer": stage.open("sample", query={"percent": "2.5"}),
        "more": stage.open("sample", query={"percent": "100"}),
        "visitor": stage.open("sample", "", query={"identifier": "one"}),
        "same visitor": stage.open("sample", "", form={"identifier": "one", "percent": "100"}),
    }

    def told(fence: str) -> dict[str, list[dict[str, Any]]]:
        """What each is told until a member is suspended, which everybody is."""
        scene.apply()
        lifecycle.suspend(site.db, site.config, scene.join(fence))
        scene.apply()
        return {
            name: list(takewhile(_goes_on, iter(client.next, None)))
            for name, client in clients.items()
        }

    posted = scene.post(count=600)
    seen = {name: numbers(found) for name, found in told("fence").items()}
    for status_id in posted:
        statuses.delete(site.db, site.config, scene.ann, status_id)
    assert {name: numbers(found) for name, found in told("fence2").items()} == seen
    assert seen["token"] == seen["same member"] != seen["another"]
    assert seen["visitor"] == seen["same visitor"]
    assert all(
        25 < len(seen[name]) < 110 for name in ("token", "another", "more")
    )  # 60, give or take 7
    assert 2 < len(seen["fewer"]) < 40 and len(seen["visitor"]) < 25  # 15 and 6


@marked
def test_count_goes_back_and_then_on_or_ends(scene: Scene, stage: Stage) -> None:
    token, watch = stage.token(0, "firehose"), stage.firehose()
    posted = scene.post(count=6)
    statuses.delete(scene.site.db, scene.site.config, scene.ann, posted[4])
    scene.apply()
    assert list(
        takewhile(lambda one: "delete" not in one, iter(watch.next, None))
    )  # the process knows of them
    left = [posted[3], posted[5], posted[4]]  # the deleted one is not told again, its deletion is
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        ended = stage.open("firehose", token, query={"count": "-3"}, headers=headers)
        assert numbers(ended.rest()) == left
    going_on = stage.open("firehose", token, form={"count": "3"})
    assert numbers(going_on.take(3)) == left
    after = scene.post()
    assert numbers(going_on.take(1)) == after
    word = say(scene, "crossbill once")
    assert numbers(going_on.take(1)) == [word]
    filtered = stage.open("filter", token, form={"count": "-150000", "track": "crossbill"})
    assert [one["id"] for one in filtered.rest() if "text" in one] == [word]


# How it is written


@marked
def test_each_message_is_one_line_in_one_chunk(scene: Scene, stage: Stage) -> None:
    with ExitStack() as stack:
        connection = stack.enter_context(
            socket.create_connection(("127.0.0.1", scene.port), PATIENCE)
        )
        head = f"GET /1.1/statuses/filter.json?track=crested HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {stage.token()}"
        connection.sendall(f"{head}\r\n\r\n".encode())
        stream = stack.enter_context(connection.makefile("rb"))
        headers = {}
        assert stream.readline() == b"HTTP/1.1 200 OK\r\n"
        while (line := stream.readline()) != b"\r\n":
            name, _, value = line.decode().strip().partition(": ")
            headers[name.lower()] = value
        assert headers["content-type"] == "application/json"
        assert headers["transfer-encoding"] == "chunked" and headers["x-accel-buffering"] == "no"
        assert headers["cache-control"] == "no-store"
        assert stream.read(int(stream.readline(), 16) + 2) == b"\r\n\r\n"  # the greeting
        for text in ("a crested tit", "two\nlines, crested"):
            posted = say(scene, text)
            chunk = stream.read(int(stream.readline(), 16) + 2)
            assert chunk.endswith(b"\r\n\r\n") and chunk.count(b"\r\n") == 2
            assert (json.loads(chunk)["id"], json.loads(chunk)["text"]) == (posted, text)


@marked
@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip, deflate"}])
def test_with_delimited_each_message_comes_after_its_length(
    scene: Scene, stage: Stage, headers: dict[str, str]
) -> None:
    token = stage.token(0, "firehose")
    client = stage.open("firehose", token, query={"delimited": "length"}, headers=headers)
    assert client.gzip == bool(headers)
    for text in ("one", "麻雀在唱歌 🐦‍⬛ e\u0301", "\u2028 <b> & \x85 \\\"'"):
        [posted] = scene.post(text)
        size = client.until(b"\r\n")
        message = client.exactly(int(size))
        assert message.endswith(b"\r\n") and message.count(b"\r\n") == 1
        assert (json.loads(message)["id"], json.loads(message)["text"]) == (posted, text)
    statuses.delete(scene.site.db, scene.site.config, scene.ann, posted)
    scene.apply()
    assert numbers([json.loads(client.exactly(int(client.until(b"\r\n"))))]) == [posted]


@marked
def test_a_compressed_stream_can_be_read_message_by_message(scene: Scene, stage: Stage) -> None:
    client = stage.open(form={"track": "brambling"}, headers={"Accept-Encoding": "gzip"})
    plain = [
        stage.open(form={"track": "brambling"}, headers={"Accept-Encoding": accept})
        for accept in ("gzip;q=0, identity", "br", "identity")
    ]
    assert client.gzip and "Accept-Encoding" in ",".join(
        client.response.headers.get_all("Vary") or []
    )
    assert not any(one.gzip for one in plain)
    for number in range(20):
        posted = say(scene, f"brambling {number}")
        assert [numbers(one.take(1)) for one in (client, *plain)] == [[posted]] * 4


@marked
def test_events_carry_the_same_with_their_kind_and_log_id(scene: Scene, stage: Stage) -> None:
    ask_for = {"Accept": "text/event-stream"}
    events = stage.open(query={"track": "whinchat"}, headers=ask_for)
    lines = stage.open(query={"track": "whinchat"})
    posted = say(scene, "whinchat\nin two lines")
    assert events.response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    for kind in ("update", "delete"):
        event, [line] = events.event(), lines.take(1)
        if kind == "update":
            scene.delete(posted)
        assert (event["event"], event["id"], json.loads(event["data"])) == (
            kind,
            line["event_id"],
            line,
        )
    resumed = stage.open(
        query={"track": "whinchat"}, headers={**ask_for, "Last-Event-ID": line["event_id"]}
    )
    again = say(scene, "whinchat again")
    assert json.loads(resumed.event()["data"])["id"] == again


@marked
def test_what_was_missed_too_long_ago_is_answered_with_reload(scene: Scene, stage: Stage) -> None:
    scene.post()
    for last in ("x", "9999999999999-0"):
        events = stage.open(
            "sample", headers={"Accept": "text/event-stream", "Last-Event-ID": last}
        )
        event = events.event()
        assert event["event"] == "reload" and json.loads(event["data"])["reload"]["reason"]
        lines = stage.open(form={"track": "x"}, headers={"Last-Event-ID": last})
        [told] = lines.take(1)
        assert told["reload"]["reason"] and told["event_id"] == event["id"]
        assert say(scene, "x") == lines.take(1)[0]["id"]


# What is taken back


@marked
def test_deletions_reach_a_filter_that_saw_the_status(scene: Scene, stage: Stage) -> None:
    ben = scene.join("benny")
    tracking, narrow = (
        stage.open(form={"track": "dipper"}),
        stage.open(form={"follow": str(ben), "language": "de"}),
    )
    placed, other = (
        stage.open(form={"locations": "20,20,21,21"}),
        stage.open(form={"track": "other"}),
    )
    seen, unseen = say(scene, "dipper", Place(20.5, 20.5)), say(scene, "nothing")
    assert [numbers(client.take(1)) for client in (tracking, placed)] == [[seen]] * 2
    for one in (unseen, seen):
        scene.delete(one)
    last = say(scene, "other dipper", Place(20.5, 20.5))
    for client in (tracking, placed):
        delete, end = client.take(2)
        assert numbers([end]) == [last]
        assert delete["delete"]["status"] == {
            "id": seen,
            "id_str": str(seen),
            "user_id": scene.ann,
            "user_id_str": str(scene.ann),
        }
    assert numbers(other.take(1)) == [last]
    assert narrow.status == 200


@marked
def test_places_that_are_taken_back_leave_no_more(scene: Scene, stage: Stage) -> None:
    site, eve = scene.site, scene.join("eve")
    token = stage.token(0, "firehose")
    before = stage.open(form={"locations": "30,30,31,31"})
    first = say(scene, "secret hedge", Place(30.5, 30.5, "Home"), author=eve)
    [told] = before.take(1)
    places.remove_locations(site.db, site.config, eve)
    scene.apply()
    [scrub] = before.take(1)
    assert scrub["scrub_geo"] == {
        "user_id": eve,
        "user_id_str": str(eve),
        "up_to_status_id": first,
        "up_to_status_id_str": str(first),
    }
    back = {"Last-Event-ID": f"{int(told['event_id'].split('-')[0]) - 1}-0"}
    update, *_ = stage.open("firehose", token, headers=back).take(1)
    assert (update["id"], update["coordinates"], update["geo"], update["place"]) == (
        first,
        None,
        None,
        None,
    )
    counted = stage.open("filter", token, form={"count": "-5", "locations": "30,30,31,31"})
    # Everybody hears of accounts that are suspended or deleted, and other tests have done so.
    kinds = [set(one) - {"event_id"} for one in counted.rest()]
    assert [kind for kind in kinds if not kind & {"user_suspend", "user_delete"}] == [{"scrub_geo"}]
    statuses.delete(site.db, site.config, eve, first)
    scene.apply()
    assert numbers(before.take(1)) == [first]


@marked
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_who_is_suspended_or_gone_leaves_afterwards(
    scene: Scene, stage: Stage, kind: str
) -> None:
    site, word = scene.site, f"secret{kind}"
    eve, mallory = scene.join(f"eve{kind}"), scene.join(f"mal{kind}")
    token = stage.token(0, "firehose")
    query = {"track": word} if kind == "filter" else {"percent": "10"}
    client = stage.open(kind, token, form=query)
    say(scene, "before")
    first = scene.log()[-1]
    for author in (eve, mallory):
        for number in range(30):
            say(scene, f"{word} {number}", author=author)
    lifecycle.suspend(site.db, site.config, eve)
    lifecycle.delete_account(site.db, site.config, mallory, None)
    scene.apply()
    told: set[str] = set()
    while not told >= {
        "user_delete",
        "user_suspend",
    }:  # both of which reach whoever may have seen them
        [message] = client.take(1)
        told |= message.keys()
    client.close()
    last = say(scene, f"{word} the end")
    watch = stage.firehose(headers={"Last-Event-ID": first})
    assert [
        one
        for one in takewhile(lambda one: one.get("id") != last, iter(watch.next, None))
        if "text" in one
    ] == []
    for options in ({"headers": {"Last-Event-ID": first}}, {"form": {**query, "count": "-150000"}}):
        again = stage.open(kind, token, **{"form": query, **options})
        ends = "count" in options.get("form", {})
        found = again.rest() if ends else again.take(2 if kind == "sample" else 3)
        assert not [one for one in found if one.get("user", {}).get("id") in (eve, mallory)]
        assert kind == "sample" or last in [one.get("id") for one in found]
        again.close()


@marked
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blocked_by", ["author", "reader"])
def test_nobody_is_sent_what_somebody_wrote_with_a_block_between_them(
    scene: Scene, stage: Stage, kind: str, blocked_by: str
) -> None:
    site, word = scene.site, f"fence{kind}{blocked_by}"
    names = {"author": f"a{kind[:3]}{blocked_by}", "reader": f"r{kind[:3]}{blocked_by}"}
    ids = {who: scene.join(name) for who, name in names.items()}
    token = stage.token(ids["reader"], "firehose")
    query = {"track": word} if kind == "filter" else {"percent": "10"}
    other = names["reader" if blocked_by == "author" else "author"]

    client = stage.open(kind, token, form=query)
    blocks.block(site.db, site.config, ids[blocked_by], other)
    scene.apply()  # partitions are applied side by side, so the post may overtake the block
    for number in range(60):
        for author in (ids["author"], scene.ann):
            statuses.post(
                site.db, site.config, author, parse(f"{word} {number}"), f"{word} {number}"
            )
    scene.apply()  # all of it, before the fence, whose partition may be applied before theirs
    fence = scene.join(f"f{kind[:3]}{blocked_by}")  # of whose end everybody hears
    lifecycle.suspend(site.db, site.config, fence)
    scene.apply()
    told = takewhile(
        lambda one: one.get("user_suspend", {}).get("id") != fence, iter(client.next, None)
    )
    heard = {one["user"]["id"] for one in told if "user" in one}
    assert ids["author"] not in heard and (kind == "sample" or scene.ann in heard)
    client.close()
    back = stage.open(kind, token, form={**query, "count": "-120"})
    assert ids["author"] not in {one["user"]["id"] for one in back.rest() if "user" in one}


@marked
def test_signed_requests_are_let_in(scene: Scene, stage: Stage) -> None:
    pair = apps.create(scene.site.db, scene.site.config, scene.join("signer"), "reader")
    secrets = {"client_secret": pair.consumer_secret, "resource_owner_secret": pair.token_secret}
    signer = Client(pair.consumer_key, resource_owner_key=pair.token, **secrets)
    url = f"http://127.0.0.1:{scene.port}/1.1/statuses/filter.json"
    _, headers, _ = signer.sign(url, "POST", "track=signed+%E9%BA%BB%E9%9B%80", dict(FORM))
    assert stage.open(token="", form={"track": "signed 麻雀"}, headers=headers).status == 200
    again = stage.api(token="", form={"track": "signed 麻雀"}, headers=headers)
    assert again.status == 401 and "already used" in problem(again)
    assert accounts.get_many_by_login(scene.site.db, ["signer"])

"""The streaming API: credentials, parameters and statuses."""

import json
import re
import socket
from typing import Any

import pytest
from oauthlib.oauth1 import Client

from tests.support.processes import PATIENCE
from tests.support.streaming.api_client import FORM, Api, Stage, bearer, numbers
from tests.support.streaming.client import PROCESSES, Scene, send_request
from tests.support.streaming.statuses import post_status
from webapp.accounts import lifecycle, store as accounts
from webapp.accounts.tokens import apps
from webapp.core.text.parser import parse
from webapp.statuses import Place, store as statuses
from webapp.streaming import keys as stream_keys

pytestmark = PROCESSES
KINDS = ("sample", "filter", "firehose")


def problem(client: Api) -> str:
    """Return the message of an error response."""
    assert client.response.headers["Content-Type"] == "application/json"
    [error] = json.loads(client.response.read())["errors"]
    assert error["code"] == client.status
    return str(error["message"])


@pytest.mark.parametrize("kind", KINDS)
def test_request_without_credentials_gets_a_challenge(
    scene: Scene, stage: Stage, kind: str
) -> None:
    basic, oauth = {"Authorization": "Basic eDp5"}, {"Authorization": "OAuth x"}
    for headers in ({}, bearer("linnet_1_no"), basic, oauth):
        client = stage.api(kind, token="", query={"track": "x"}, headers=headers)
        assert client.status == 401
        challenge = client.response.headers["WWW-Authenticate"]
        assert challenge == 'OAuth realm="Linnet", Bearer realm="Linnet"'
        assert problem(client)


def test_firehose_and_count_need_the_right(scene: Scene, stage: Stage) -> None:
    token = stage.token()
    client = stage.api("firehose", token)
    assert client.status == 403 and "right" in problem(client)
    for kind in ("sample", "filter"):
        client = stage.api(kind, token, query={"track": "x", "count": "5"})
        assert client.status == 416 and "firehose" in problem(client)
    assert stage.firehose().status == 200


def test_invalid_parameters_are_refused_with_a_reason(scene: Scene, stage: Stage) -> None:
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


def test_other_paths_and_methods_are_refused(scene: Scene, stage: Stage) -> None:
    for path in (
        *"/1.1/statuses/ /1.1/statuses/links.json /1.1/statuses/sample".split(),
        *"/1.1/statuses/sample.json/ /1.1/1.1/statuses/sample.json /2/statuses/sample.json".split(),
        *"/statuses/sample.jsonp".split(),
    ):
        assert send_request(scene.port, path)[0] == 404, path
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS"):
        status, headers, _ = send_request(scene.port, "/1.1/statuses/sample.json", method)
        assert (status, headers["Allow"]) == (405, "GET, HEAD, POST")


def test_head_answers_like_get_without_a_stream(scene: Scene, stage: Stage) -> None:
    uid = scene.join("serin")
    headers = bearer(stage.token(uid))
    streams = [stage.open("sample", headers["Authorization"].split()[1]) for _ in range(2)]
    for path, accept, content_type in (
        ("filter.json?track=x", {}, "application/json"),
        ("sample.json", {"Accept": "text/event-stream"}, "text/event-stream; charset=utf-8"),
    ):
        request_headers = {**headers, **accept}
        status, received, body = send_request(
            scene.port, f"/1.1/statuses/{path}", "HEAD", request_headers
        )
        assert (status, received["Content-Type"], body) == (200, content_type, b"")
    assert send_request(scene.port, "/1.1/statuses/filter.json", "HEAD", headers)[0] == 406
    assert send_request(scene.port, "/1.1/statuses/sample.json", "HEAD")[0] == 401
    assert scene.site.db.run(("ZCARD", stream_keys.connection_slots(uid))) == len(streams)
    scene.do(lifecycle.suspend, uid)
    messages = [message for client in streams for message in client.rest()]
    codes = [message["disconnect"]["code"] for message in messages if "disconnect" in message]
    assert codes == [6, 6]


def test_form_is_limited_in_size_and_time(scene: Scene, stage: Stage) -> None:
    client = stage.api("filter", form={"track": "x", "unknown": "x" * 270_000})
    assert client.status == 413 and "bytes" in problem(client)
    slow = b"POST /1.1/statuses/filter.json HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\ntrack="
    with socket.create_connection(("127.0.0.1", scene.port), PATIENCE) as connection:
        connection.sendall(slow)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 408 ")
    with socket.create_connection(("127.0.0.1", scene.port), PATIENCE) as connection:
        connection.sendall(slow)  # and disconnects
    assert stage.open(query={"track": "x"}).status == 200


def test_pages_of_other_sites_cannot_read_with_a_cookie(scene: Scene, stage: Stage) -> None:
    cookie = scene.sign_in(scene.join("goldfinch"))
    own = {**cookie, "Origin": f"http://127.0.0.1:{scene.port}"}
    allowed = stage.open("sample", "", headers=own).response.headers["Access-Control-Allow-Origin"]
    assert allowed == own["Origin"]
    assert stage.open("sample", "", headers=cookie).status == 200
    for origin in ("https://elsewhere.example", "null", f"https://127.0.0.1:{scene.port}.example"):
        client = stage.api("sample", "", headers={**cookie, "Origin": origin})
        assert client.status == 401
        assert "Access-Control-Allow-Origin" not in client.response.headers


@pytest.mark.parametrize("prefix", ["/1.1/statuses/", "/statuses/"])
def test_both_paths_accept_get_and_post(scene: Scene, stage: Stage, prefix: str) -> None:
    word = f"wren{len(scene.log())}"
    ways: list[dict[str, Any]] = [{"query": {"track": word}}, {"form": {"track": word}}]
    ways += [{"query": {"track": "other"}, "form": {"track": word}}]  # the form overrides the query
    ways += [{"query": {"track": word}, "form": {"stall_warnings": "t"}}]  # and they are merged
    ways += [{"query": {"track": word, "unknown": "1", "with": "user", "replies": "all"}}]
    clients = [stage.open(prefix=prefix, **way) for way in ways]
    for kind in ("sample", "firehose"):
        assert stage.open(kind, stage.token(0, "firehose"), prefix=prefix, form={}).status == 200
    posted = post_status(scene, f"a {word} sings")
    assert [numbers(client.next_messages(1)) for client in clients] == [[posted]] * len(clients)


def test_filter_sends_matching_statuses_only(scene: Scene, stage: Stage) -> None:
    ben, firehose = scene.join("ben"), stage.firehose()
    follows = ({"follow": str(ben)}, {"follow": "@Ben"}, {"follow": "ben,nobody_there"})
    clients = {
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
    both_words = post_status(scene, "A Finch, no: a LINNET!")
    one_word = post_status(scene, "only a linnet")
    chinese = post_status(scene, "今天有麻雀。")
    inside = post_status(scene, "here", in_box)
    outside = post_status(scene, "there", Place(49.9, 5.5))
    on_edge = post_status(scene, "edge", Place(-1, 1))
    mention = post_status(scene, "hello @ben")
    by_ben = post_status(scene, "nothing special", author=ben)
    garden = "singt heute morgen sehr schön in unserem Garten hinter dem Haus"
    german = post_status(scene, f"Der Chiffchaff {garden}")
    garden = "sings beautifully in the garden behind our house this morning"
    english = post_status(scene, f"The chiffchaff {garden}")
    siskin = post_status(scene, "a #Siskin")
    end = post_status(scene, "linnet finch 麻雀 chiffchaff #siskin", in_box, author=ben)
    expected = {
        "track": [both_words, chinese, end],
        "box": [inside, on_edge, end],
        "language": [german],
        "level": [german, english, end],
        "any": [by_ben, siskin, end],
        **{f"follow {number}": [by_ben, end] for number in range(3)},
    }
    for name, client in clients.items():
        assert numbers(client.next_messages(len(expected[name]))) == expected[name], name
    everything = [both_words, one_word, chinese, inside, outside, on_edge, mention, by_ben]
    everything += [german, english, siskin, end]
    assert numbers(firehose.next_messages(len(everything))) == everything


def test_status_has_the_fields_of_version_1_1(scene: Scene, stage: Stage) -> None:
    dunnock, gone = scene.join("dunnock"), scene.join("gone")
    scene.do(lifecycle.suspend, gone)
    client = stage.open(form={"track": "shaped"})
    text = "🐦 shaped @Dunnock @gone @nobody_there #麻雀 $LNT www.example.com/x"
    posted = post_status(scene, text, Place(50.5, -5.25, "A hedge"), author=dunnock)
    [status] = client.next_messages(1)
    assert (status["id"], status["id_str"]) == (posted, str(posted))
    assert (status["text"], status["truncated"]) == (text, False)
    assert re.fullmatch(r"\w{3} \w{3} \d\d \d\d:\d\d:\d\d \+0000 \d{4}", status["created_at"])
    assert status["coordinates"] == {"type": "Point", "coordinates": [-5.25, 50.5]}
    assert status["geo"] == {"type": "Point", "coordinates": [50.5, -5.25]}
    assert status["place"]["full_name"] == "A hedge"
    user = status["user"]
    assert (user["screen_name"], user["id"], user["protected"]) == ("dunnock", dunnock, False)
    counts = {"followers_count", "friends_count", "statuses_count"}
    assert user.keys() >= counts | {"profile_image_url", "created_at"}
    for field in ("status_id", "status_id_str", "user_id", "user_id_str", "screen_name"):
        assert status[f"in_reply_to_{field}"] is None
    entities = status["entities"]
    [mention], [tag] = entities["user_mentions"], entities["hashtags"]
    [symbol], [url] = entities["symbols"], entities["urls"]
    assert (mention["screen_name"], mention["id_str"]) == ("dunnock", str(dunnock))
    assert (tag["text"], symbol["text"], url["url"]) == ("麻雀", "LNT", "www.example.com/x")
    for entity in (mention, tag, symbol, url):
        start, end = entity["indices"]
        assert text[start:end].lstrip("@#$") in (*entity.values(), "Dunnock")
    assert status["lang"] and status["source"].startswith("<a ")
    assert status["timestamp_ms"].isdigit()


def test_reply_names_its_parent(scene: Scene, stage: Stage) -> None:
    siskin, brambling = scene.join("siskin"), scene.join("brambling")
    follow = stage.open(form={"follow": "siskin"})
    medium = stage.open(form={"track": "yes", "filter_level": "medium"})
    post = post_status(scene, "hedge", author=siskin)
    reply = scene.do(statuses.post, brambling, parse("@siskin yes"), "form-reply", reply=post)
    end = post_status(scene, "yes, the end", author=siskin)
    _, status, _ = follow.next_messages(3)
    assert (status["id"], status["filter_level"]) == (reply, "low")
    assert status["user"]["screen_name"] == "brambling"
    assert status["in_reply_to_status_id"] == post
    assert status["in_reply_to_status_id_str"] == str(post)
    assert status["in_reply_to_user_id"] == siskin
    assert status["in_reply_to_user_id_str"] == str(siskin)
    assert status["in_reply_to_screen_name"] == "siskin"
    assert numbers(medium.next_messages(1)) == [end], "without the reply"


def test_signed_request_is_accepted_once(scene: Scene, stage: Stage) -> None:
    pair = apps.create(scene.site, scene.join("signer"), "reader")
    secrets = {"client_secret": pair.consumer_secret, "resource_owner_secret": pair.token_secret}
    signer = Client(pair.consumer_key, resource_owner_key=pair.token, **secrets)
    url = f"http://127.0.0.1:{scene.port}/1.1/statuses/filter.json"
    _, headers, _ = signer.sign(url, "POST", "track=signed+%E9%BA%BB%E9%9B%80", dict(FORM))
    assert stage.open(token="", form={"track": "signed 麻雀"}, headers=headers).status == 200
    again = stage.api(token="", form={"track": "signed 麻雀"}, headers=headers)
    assert again.status == 401 and "already used" in problem(again)
    assert accounts.get_many_by_login(scene.site.db, ["signer"])

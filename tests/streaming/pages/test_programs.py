"""Streams of homes, tags and lists for programs: with a token, as events and as JSON lines."""

import io
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from werkzeug.datastructures import FileStorage

from tests.conftest import make_app
from tests.support.processes import RunningSite
from tests.support.statuses.pictures import photo
from tests.support.streaming.client import PROCESSES, Reader, Scene, scene_on, send_request
from webapp.accounts.tokens import store as tokens
from webapp.core.forms.fields import UploadedPicture
from webapp.core.text.parser import parse
from webapp.following import member_collections
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.attachments import staging
from webapp.statuses.interactions import boosts
from webapp.timelines.home.kinds import hide_kinds

pytestmark = PROCESSES


@pytest.fixture
def scene(running_site: RunningSite) -> Iterator[Scene]:
    """A site with ann, and her followers ben and cid."""
    with scene_on(running_site) as scene:
        scene.ben, scene.cid = scene.join("ben"), scene.join("cid")
        for follower in (scene.ben, scene.cid):
            scene.follow(follower, "ann")
        scene.begin()
        yield scene


def program(scene: Scene, uid: int, path: str, accept: str = "") -> Reader:
    """Open a stream with a new access token of a member."""
    token = tokens.create(scene.site, uid, "a script")
    return reader_with(scene, token, path, accept)


def reader_with(scene: Scene, token: str, path: str, accept: str = "") -> Reader:
    """Open a stream with an access token."""
    headers = {"Authorization": f"Bearer {token}"} | ({"Accept": accept} if accept else {})
    reader = Reader(scene.port, path=path, headers=headers)
    scene.readers.append(reader)
    assert reader.response.status == 200
    return reader


def next_line(reader: Reader) -> dict[str, Any]:
    """Return the next message of a stream of lines."""
    while line := reader.response.readline():
        if line.strip():
            message: dict[str, Any] = json.loads(line)
            return message
    raise AssertionError("the stream ended")


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_lines_are_messages_of_the_streaming_api(scene: Scene, accept: str) -> None:
    lines = program(scene, scene.ben, "/stream/home", accept)
    assert lines.response.headers["Content-Type"] == "application/json"
    [status_id] = scene.post("hello #heath")
    status = next_line(lines)
    assert (status["id"], status["user"]["screen_name"]) == (status_id, "ann")
    scene.delete(status_id)
    assert next_line(lines)["delete"]["status"]["id"] == status_id


def test_events_with_a_token_are_messages_of_the_streaming_api(scene: Scene) -> None:
    number = lists.create(scene.site, scene.ben, "Larks")
    scene.do(lists.set_memberships, scene.ben, "ann", {number: True})
    paths = ("/stream/home", "/stream/tag/heath", f"/stream/list/{scene.ben}/{number}")
    readers = [program(scene, scene.ben, path, "text/event-stream") for path in paths]
    [status_id] = scene.post("hello #heath")
    for reader in readers:
        event = reader.next()
        assert event and event.event == "update"
        assert (event.data["id"], event.data["retweet_count"]) == (status_id, 0)


def test_home_sends_programs_what_their_member_may_see(scene: Scene) -> None:
    ben, cid = (
        program(scene, uid, "/stream/home", "application/json") for uid in (scene.ben, scene.cid)
    )

    def post(text: str, visibility: Visibility) -> int:
        status_id = scene.do(statuses.post, scene.ann, parse(text), text * 4, visibility=visibility)
        return status_id

    followers = post("for followers", Visibility.FOLLOWERS)
    for reader in (ben, cid):
        status = next_line(reader)
        assert (status["id"], status["text"]) == (followers, "for followers")
    direct = post("@ben only", Visibility.MENTIONED)
    assert next_line(ben)["id"] == direct
    scene.do(statuses.delete, scene.ann, followers)
    for reader in (ben, cid):  # cid was not told of what only ben may see
        assert next_line(reader)["delete"]["status"]["id"] == followers


def test_pictures_for_followers_open_with_the_token_they_were_sent_to(scene: Scene) -> None:
    site = scene.site
    own, other = (tokens.create(site, uid, "a script") for uid in (scene.ben, scene.cid))
    lines = reader_with(scene, own, "/stream/home", "application/json")
    upload = FileStorage(io.BytesIO(photo()), content_type="image/png")
    pictures = staging.stage(site, scene.ann, [UploadedPicture(upload, "a lark")])
    scene.do(
        statuses.post,
        scene.ann,
        parse("a lark"),
        "form-key",
        visibility=Visibility.FOLLOWERS,
        pictures=pictures,
    )
    [media] = next_line(lines)["entities"]["media"]
    path = urlsplit(media["media_url"])
    assert media["sizes"]["large"]["url"] == media["media_url"]
    app = make_app(site.config)
    for token, query, status in (
        (own, path.query, 200),
        (own, "", 404),
        (other, path.query, 404),
        ("", path.query, 404),
    ):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        response = app.test_client().get(f"{path.path}?{query}", headers=headers)
        assert response.status_code == status
    app.extensions["linnet.db"].close()


def test_home_sends_programs_boosts(scene: Scene) -> None:
    dan = scene.join("dan")
    lines = program(scene, scene.ben, "/stream/home", "application/json")
    scene.do(blocks.block, scene.cid, "dan")
    blocking = program(scene, scene.cid, "/stream/home", "application/json")
    [status_id] = scene.post("boosted", author=dan)
    scene.do(boosts.boost, scene.ann, status_id)
    retweet = next_line(lines)
    assert retweet["user"]["id"] == scene.ann
    assert retweet["retweeted_status"]["id"] == status_id
    [last] = scene.post()
    assert next_line(blocking)["id"] == last


def test_home_does_not_send_hidden_boosts_while_they_are_hidden(scene: Scene) -> None:
    site, dan = scene.site, scene.join("dan")
    lines = program(scene, scene.ben, "/stream/home", "application/json")
    first, second = scene.post("one", author=dan)[0], scene.post("two", author=dan)[0]
    scene.do(member_collections.hide_boosts, scene.ben, "ann")
    boosts.boost(site, scene.ann, first)
    [own] = scene.post()
    assert next_line(lines)["id"] == own
    scene.do(member_collections.show_boosts, scene.ben, "ann")
    scene.do(boosts.boost, scene.ann, second)
    assert next_line(lines)["retweeted_status"]["id"] == second


def test_home_does_not_send_the_kinds_that_its_member_hides(scene: Scene) -> None:
    site = scene.site
    hide_kinds(site.db, scene.ben, replies=True, boosts=True)
    scene.follow(scene.ben, "cid")
    lines = program(scene, scene.ben, "/stream/home", "application/json")
    [first] = scene.post("one")
    boosts.boost(site, scene.cid, first)
    boosts.boost(site, scene.ben, first)
    statuses.post(site, scene.cid, parse("a reply"), "a reply to ann", reply=int(first))
    [last] = scene.post("two")
    assert [next_line(lines)["id"] for _ in range(2)] == [first, last]


def test_programs_are_sent_boosts_of_unlisted_statuses(scene: Scene) -> None:
    site, dan = scene.site, scene.join("dan")
    paths = ("/stream/home", f"/stream/profile/{scene.ann}")
    readers = [program(scene, scene.ben, path, "application/json") for path in paths]
    unlisted = statuses.post(
        site, dan, parse("quiet"), "a quiet one", visibility=Visibility.UNLISTED
    )
    scene.do(boosts.boost, scene.ann, unlisted)
    for reader in readers:
        retweet = next_line(reader)
        assert (retweet["user"]["id"], retweet["retweeted_status"]["id"]) == (scene.ann, unlisted)


@pytest.mark.parametrize("visibility", [Visibility.PUBLIC, Visibility.FOLLOWERS])
def test_quotes_of_hidden_authors_come_without_what_they_quote(
    scene: Scene, visibility: Visibility
) -> None:
    site = scene.site
    dan, eve, fay, gil = map(scene.join, ("dan", "eve", "fay", "gil"))
    quoted = {author: scene.post("quoted", author=author)[0] for author in (dan, eve, fay, gil)}
    blocks.block(site, scene.ben, "dan")
    blocks.block(site, eve, "ben")
    scene.do(mutes.mute, scene.ben, "fay")
    lines = program(scene, scene.ben, "/stream/home", "application/json")
    for author, quoted_id in quoted.items():
        options = {"quote": quoted_id, "visibility": visibility}
        scene.do(statuses.post, scene.ann, parse("look"), f"look {author}", **options)
    shown = {}
    for _ in quoted:
        status = next_line(lines)
        shown[status["quoted_status_id"]] = "quoted_status" in status
    assert shown == {quoted[dan]: False, quoted[eve]: False, quoted[fay]: False, quoted[gil]: True}


def test_wrong_tokens_read_nothing_and_unreadable_lists_are_not_found(scene: Scene) -> None:
    site = scene.site
    private = lists.create(site, scene.ben, "Secret", private=True)
    path = f"/stream/list/{scene.ben}/{private}"
    token = tokens.create(site, scene.cid, "a script")
    headers = {"Authorization": f"Bearer {token}"}
    for unreadable in (path, f"/stream/list/{scene.ben}/99", "/stream/list/999/1"):
        assert send_request(scene.port, unreadable, headers=headers)[0] == 404
        assert send_request(scene.port, unreadable)[0] == 401
    scene.do(tokens.revoke, scene.cid, tokens.sha_of(token))
    public = ("/stream/public", "/stream/tag/heath", f"/stream/profile/{scene.ann}")
    for anything in (*public, "/stream/home", "/stream/chats", path):
        status, received, body = send_request(scene.port, anything, headers=headers)
        assert (status, received["WWW-Authenticate"]) == (401, "Bearer")
        assert "token" in json.loads(body)["errors"][0]["message"]

"""Messages in the API: pictures, shared statuses, edits, deletions and reactions."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image

from tests.conftest import PASSWORD, make_app
from tests.support import chat
from tests.support.animations import animation
from tests.support.chat_api import Caller, Pair, assert_error
from tests.support.chat_pages import png_file
from tests.support.world import Web
from webapp.accounts import registration
from webapp.accounts.viewer import uploader
from webapp.config import Config, Rate
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, store as statuses

THUMB = quote("👍")


def picture_form(*alts: str, **fields: str) -> dict[str, Any]:
    """Return a multipart form with a picture for each alternative text."""
    files = [(png_file((30, 20)), f"{number}.png") for number, _ in enumerate(alts)]
    return {"data": {"pictures": files, "alt": list(alts), **fields}}


def stored_files(config: Config) -> list[Path]:
    """Return the pictures of chats on the disk."""
    return list(config.media_path.rglob("*.webp"))


def test_pictures_are_sent_with_alternative_texts(pair: Pair) -> None:
    ann, ben, cid = pair
    response = ann.post(f"/{cid}/messages", **picture_form("a lark", "", text="look"))
    assert response.status_code == 201
    [message] = ben.get(f"/{cid}/messages")["messages"]
    assert message == response.json and message["text"] == "look"
    assert [picture["alt"] for picture in message["pictures"]] == ["a lark", ""]
    assert (message["pictures"][0]["width"], message["pictures"][0]["height"]) == (30, 20)
    path = message["pictures"][0]["path"]
    assert ben.client.get(path, headers=ben.headers).mimetype == "image/webp"
    alone = ann.post(f"/{cid}/messages", **picture_form("no words"))
    assert alone.status_code == 201 and alone.json and alone.json["text"] == ""


def test_an_animated_picture_names_its_still_and_what_moves(pair: Pair) -> None:
    ann, ben, cid = pair
    form = {"pictures": [(BytesIO(animation()), "a.gif"), (png_file((30, 20)), "b.png")]}
    assert ann.post(f"/{cid}/messages", data=form).status_code == 201
    [message] = ben.get(f"/{cid}/messages")["messages"]
    moving, still = message["pictures"]
    assert still["animation_path"] is None
    assert moving["animation_path"] == moving["path"].replace(".webp", "-animated.webp")
    for path, frames in ((moving["path"], 1), (moving["animation_path"], 3)):
        picture = Image.open(BytesIO(ben.client.get(path, headers=ben.headers).data))
        assert getattr(picture, "n_frames", 1) == frames
    answer = ben.client.get(still["path"].replace(".webp", "-animated.webp"), headers=ben.headers)
    assert answer.status_code == 404


def test_pictures_are_limited_as_on_the_page(pair: Pair) -> None:
    ann, ben, cid = pair
    many = ann.post(f"/{cid}/messages", **picture_form(*"abcde"))
    assert_error(many, 422, "bad_picture")
    assert many.json and "4" in many.json["message"]
    form = {"pictures": (png_file((3, 3)), "x.png"), "text": "x" * 2_001}
    assert_error(ann.post(f"/{cid}/messages", data=form), 422, "text_long")
    broken = {"pictures": [(BytesIO(b"no picture"), "x.png")]}
    assert_error(ann.post(f"/{cid}/messages", data=broken), 422, "bad_picture")
    reply = picture_form("a lark", text="look", in_reply_to_id="7")
    assert_error(ann.post(f"/{cid}/messages", **reply), 404, "no_message")
    assert stored_files(ann.config) == [] and ben.fetch() == {}


def test_picture_that_is_sent_again_is_stored_once(pair: Pair) -> None:
    ann, ben, cid = pair
    for _ in range(3):
        response = ann.post(f"/{cid}/messages", key="12345678", **picture_form("one", text="x"))
        assert response.status_code == 201 and response.json and response.json["id"] == 1
    assert len(ben.get(f"/{cid}/messages")["messages"]) == 1
    assert len(stored_files(ann.config)) == 1


def test_picture_limit_counts_for_the_api(settings: Config) -> None:
    app = make_app(replace(settings, limit_pictures=Rate(1, 60)))
    db: Db = app.extensions["linnet.db"]
    ann = Caller(app, registration.sign_up(Site(db, settings), "ann", "Ann", PASSWORD).uid)
    cid = chat.group(Site(db, settings), ann.uid)
    assert ann.post(f"/{cid}/messages", **picture_form("one")).status_code == 201
    assert_error(ann.post(f"/{cid}/messages", **picture_form("two")), 429, "too_many")
    assert ann.post(f"/{cid}/messages", json={"text": "words"}).status_code == 201
    db.close()


def test_json_body_has_no_room_for_pictures(pair: Pair) -> None:
    ann, _, cid = pair
    body = b'{"text": "' + b"x" * ann.config.body_max + b'"}'
    response = ann.post(f"/{cid}/messages", data=body, content_type="application/json")
    assert_error(response, 413, "request_entity_too_large")


def test_status_is_shared_by_id_or_by_link(pair: Pair) -> None:
    ann, ben, cid = pair
    shared = statuses.post(ann.site, ann.uid, parse("a song"), "form-key-1")
    hidden = statuses.post(
        ann.site, ann.uid, parse("mine"), "form-key-2", visibility=Visibility.FOLLOWERS
    )
    response = ben.post(f"/{cid}/messages", json={"status_id": str(shared)})
    assert response.status_code == 201 and response.json
    assert (response.json["text"], response.json["status_id"]) == ("", str(shared))
    site = "http://birds.example.org"
    text = {"text": f"see {site}/@ann/{shared}"}
    linked = ben.post(f"/{cid}/messages", json=text, base_url=site)
    assert linked.json and linked.json["status_id"] == str(shared)
    assert ben.post(f"/{cid}/messages", json={"status_id": hidden}).status_code in (403, 404)
    assert_error(ben.post(f"/{cid}/messages", json={"status_id": "x"}), 422, "bad_status_id")


def test_message_is_read_edited_and_deleted(pair: Pair) -> None:
    ann, ben, cid = pair
    ann.send_message(cid, "wrod")
    path = f"/{cid}/messages/1"
    assert ben.get(path)["text"] == "wrod" and ben.get(path)["edited_at"] is None
    edited = ann.call("PATCH", path, json={"text": "word for @ben"})
    assert edited.status_code == 200 and edited.json == ben.get(path)
    assert edited.json["text"] == "word for @ben" and edited.json["edited_at"]
    assert edited.json["entities"][0]["type"] == "mention"
    assert_error(ben.call("PATCH", path, json={"text": "mine"}), 403, "not_yours")
    assert_error(ben.call("DELETE", path), 403, "not_yours")
    for body, code in (({}, "bad_text"), ({"text": " "}, "bad_text"), ({"text": []}, "bad_text")):
        assert_error(ann.call("PATCH", path, json=body), 422, code)
    for _ in range(2):
        assert ann.call("DELETE", path).status_code == 204
    assert ben.get(path)["deleted"] and ben.get(path)["text"] == ""
    assert_error(ann.call("PATCH", path, json={"text": "back"}), 404, "no_message")
    for method in ("GET", "DELETE"):
        assert_error(ann.call(method, f"/{cid}/messages/9"), 404, "no_message")


def test_owner_deletes_messages_of_others(pair: Pair) -> None:
    ann, ben, cid = pair
    ben.send_message(cid, "rude")
    assert ann.call("DELETE", f"/{cid}/messages/1").status_code == 204
    assert ben.get(f"/{cid}/messages/1")["deleted"]


def test_reactions_are_added_and_removed(pair: Pair) -> None:
    ann, ben, cid = pair
    ann.send_message(cid, "good news")
    path = f"/{cid}/messages/1/reactions"
    for caller in (ann, ben, ben):
        assert caller.call("PUT", f"{path}/{THUMB}").status_code == 204
    expected = [{"name": "👍", "count": 2, "users": [ann.uid, ben.uid]}]
    assert ann.get(f"/{cid}/messages/1")["reactions"] == expected
    for _ in range(2):
        assert ann.call("DELETE", f"{path}/{THUMB}").status_code == 204
    assert ann.get(f"/{cid}/messages/1")["reactions"][0]["users"] == [ben.uid]
    for wrong in ("x", quote("👍👍"), "%ff", "thumbsup"):
        assert_error(ann.call("PUT", f"{path}/{wrong}"), 422, "bad_emoji")
    assert_error(ann.call("PUT", f"/{cid}/messages/2/reactions/{THUMB}"), 404, "no_message")


def test_sent_message_is_returned_whole(pair: Pair) -> None:
    ann, ben, cid = pair
    response = ann.post(f"/{cid}/messages", json={"text": "hello"}, key="12345678")
    assert response.json == ben.get(f"/{cid}/messages")["messages"][0]
    ann.call("DELETE", f"/{cid}/messages/1")
    again = ann.post(f"/{cid}/messages", json={"text": "hello"}, key="12345678")
    assert again.status_code == 201 and again.json
    assert again.json["id"] == 1 and again.json["deleted"]
    for key in ("short", "x" * 65, "with blank"):
        assert_error(ann.post(f"/{cid}/messages", json={"text": "a"}, key=key), 422, "bad_key")


def test_large_picture_is_accepted_with_a_token_only(pair: Pair, web: Web) -> None:
    ann, _, cid = pair
    noise = BytesIO()
    Image.effect_noise((600, 600), 90).save(noise, "PNG")
    assert len(noise.getvalue()) > ann.config.body_max

    def form() -> dict[str, Any]:
        return {"pictures": (BytesIO(noise.getvalue()), "x.png"), "alt": "noise"}

    path = f"/{cid}/messages"
    assert_error(web.client.post(f"/api/chats{path}", data=form()), 401, "who_are_you_here")
    assert ann.post(path, data=form()).status_code == 201


def test_server_reads_long_bodies_of_valid_tokens_only(pair: Pair) -> None:
    ann, *_ = pair
    valid = ann.headers["Authorization"]
    uid = int(valid.split("_")[1])
    for authorization, expected in ((valid, uid), (valid[:-1] + "?", 0), ("", 0)):
        environ = {"HTTP_AUTHORIZATION": authorization, "wsgi.url_scheme": "http"}
        assert uploader(ann.app, environ) == expected

"""Every path under /api answers in JSON, whatever goes wrong."""

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.chat_api import Pair, assert_error

FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/x", "/api/chats/", "/api/chats/1/x"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_unknown_path_is_a_json_error(path: str, method: str, client: FlaskClient) -> None:
    response = client.open(path, method=method)
    assert_error(response, 404, "not_found")
    assert response.headers["Cache-Control"] == "no-store"


def test_paths_beside_the_api_keep_their_pages(client: FlaskClient) -> None:
    response = client.get("/apiary")
    assert response.status_code == 404 and response.mimetype == "text/html"


def test_wrong_method_is_a_json_error(shared_pair: Pair) -> None:
    ann, _, cid = shared_pair
    for method, path, allowed in (
        ("PUT", "", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("PUT", f"/{cid}/messages", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("GET", f"/{cid}/read", {"OPTIONS", "POST"}),
        ("POST", f"/{cid}/messages/1", {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH"}),
    ):
        response = ann.call(method, path)
        assert_error(response, 405, "method_not_allowed")
        assert set(response.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", ""),
        ("PATCH", "/{cid}"),
        ("POST", "/{cid}/messages"),
        ("PATCH", "/{cid}/messages/1"),
        ("POST", "/{cid}/read"),
        ("POST", "/{cid}/join"),
        ("PUT", "/{cid}/members/2"),
        ("POST", "/fetched"),
    ],
)
@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[]", b'"text"', b"null", b" ", b"[" * 9_999])
def test_invalid_json_is_refused_everywhere(
    method: str, path: str, body: bytes, shared_pair: Pair
) -> None:
    ann, _, cid = shared_pair
    response = ann.call(method, path.format(cid=cid), data=body, content_type="application/json")
    assert_error(response, 400, "bad_json")


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"message_id": 1}', "application/x-www-form-urlencoded"),
        (b' {"message_id": 1}', "application/x-www-form-urlencoded; charset=utf-8"),
        (b"message_id=%FF", "application/x-www-form-urlencoded"),
        (b"message_id=\xff", "application/x-www-form-urlencoded"),
        (b"message_id=1&other=%C3%28", "application/x-www-form-urlencoded"),
        (
            b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n\xff\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
    ],
)
def test_body_that_is_no_form_does_not_count_as_empty(
    body: bytes, content_type: str, pair: Pair
) -> None:
    reader, writer, cid = pair
    for text in ("one", "two"):
        writer.send_message(cid, text)
    response = reader.call("POST", f"/{cid}/read", data=body, content_type=content_type)
    assert_error(response, 400, "bad_body")
    assert reader.get(f"/{cid}")["last_read_id"] == 0


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", ""])
def test_bodies_of_other_types_are_refused(content_type: str, pair: Pair) -> None:
    reader, _, cid = pair
    body = b'{"message_id": 1}'
    response = reader.call("POST", f"/{cid}/read", data=body, content_type=content_type)
    assert_error(response, 415, "bad_body")


def test_forms_and_empty_bodies_are_accepted(pair: Pair) -> None:
    reader, writer, cid = pair
    for text in ("one", "two", "three"):
        writer.send_message(cid, text)
    text = "100% 麻雀 + {a}"
    options = ({"data": {"message_id": "1"}}, {"data": b"message_id=2", "content_type": FORM})
    for number, form in enumerate(options, 1):
        assert reader.call("POST", f"/{cid}/read", **form).status_code == 204
        assert reader.get(f"/{cid}")["last_read_id"] == number
    assert reader.call("POST", f"/{cid}/messages", data={"text": text}).json["text"] == text
    for content_type in (FORM, "text/plain", ""):
        response = reader.call("POST", f"/{cid}/read", data=b"", content_type=content_type)
        assert response.status_code == 204
    assert reader.get(f"/{cid}")["last_read_id"] == 4


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_unsafe_method_with_a_cookie_needs_a_page_of_this_site(method: str, pair: Pair) -> None:
    ann, ben, cid = pair
    ann.send_message(cid, "hello")
    page = ann.app.test_client()
    page.post("/login", data={"login": "ann", "password": PASSWORD})
    path = {
        "POST": f"/api/chats/{cid}/read",
        "PUT": f"/api/chats/{cid}/members/{ben.uid}",
        "PATCH": f"/api/chats/{cid}/messages/1",
        "DELETE": f"/api/chats/{cid}/messages/1",
    }[method]
    for headers in ({}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        forged = page.open(path, method=method, json={"text": "x"}, headers=headers)
        assert_error(forged, 403, "elsewhere")
    same = {"Sec-Fetch-Site": "same-origin"}
    assert page.open(path, method=method, json={"text": "x"}, headers=same).status_code < 300


def test_declared_json_without_a_body_has_no_fields(pair: Pair) -> None:
    ann, ben, cid = pair
    for method, path in (("POST", "read"), ("PUT", f"members/{ben.uid}")):
        response = ann.call(method, f"/{cid}/{path}", content_type="application/json")
        assert response.status_code == 204
    response = ann.call("POST", f"/{cid}/messages", content_type="application/json")
    assert_error(response, 422, "bad_text")

"""What whole clients break on: each of these is read by some of them in just one way."""

import re
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, connected, register_app
from tests.support.full_site import picture_file
from tests.support.pages import join, serving
from webapp.config import Config, Rate
from webapp.core.web.context import site_of
from webapp.reports.listing import list_newest

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
ORIGIN = {"Origin": "https://client.example"}
CREDENTIALS = "PATCH /api/v1/accounts/update_credentials"


@pytest.fixture
def ann(app: Flask, member: SignUp) -> ApiClient:
    """The app of ann; ben is there too."""
    ann = connected(app, member("ann"))
    member("ben")
    return ann


def test_the_version_is_a_number_to_those_who_cut_it(app: Flask) -> None:
    version = ApiClient(app).get("v1/instance")["version"]
    assert 4 <= float(version[:3]) < 5 and "compatible" in version


def test_every_page_about_the_site_has_its_rules(settings: Config) -> None:
    with serving(replace(settings, rules="Be kind\nNo spam")) as app:
        visitor = ApiClient(app)
        rules = visitor.get("v1/instance/rules")
        assert [one["text"] for one in rules] == ["Be kind", "No spam"]
        assert rules == visitor.get("v1/instance")["rules"] == visitor.get("v2/instance")["rules"]


def test_the_announcement_of_the_operator_is_read_once(settings: Config) -> None:
    told = {"announcement_en": "Back at 6 & all", "announcement_until": "2126-12-01 18:00"}
    with serving(replace(settings, **told)) as app:
        ann, path = connected(app, join(app, "ann")), "v1/announcements"
        [shown] = ann.get(path)
        assert (shown["content"], shown["read"]) == ("<p>Back at 6 &amp; all</p>", False)
        assert shown["ends_at"] == "2126-12-01T18:00:00.000Z" and TIME.match(shown["published_at"])
        assert ann.call(f"POST /api/{path}/1/dismiss").status_code == 404
        assert ann.post(f"{path}/{shown['id']}/dismiss") == {}
        assert [one["read"] for one in ann.get(path)] == [True]
        assert ApiClient(app).get(path) == [shown]
    with serving(settings) as app:
        assert ApiClient(app).get(path) == []


def test_other_origins_may_read_all_that_clients_load(app: Flask, ann: ApiClient) -> None:
    picture = ann.post("v2/media", file=picture_file())
    me = ann.get("v1/accounts/verify_credentials")
    paths = [picture["url"], picture["preview_url"], me["avatar"], me["header"]]
    paths += ["/.well-known/nodeinfo", "/nodeinfo/2.0", "/.well-known/oauth-authorization-server"]
    paths += ["/.well-known/host-meta", "/api/v1/instance", "/api/v1/nothing"]
    paths.append("/oauth/userinfo")
    visitor = ApiClient(app)
    paths.append(visitor.get("v2/instance")["thumbnail"]["url"])
    for path in paths:
        answer = visitor.call(f"GET {path.removeprefix('http://localhost')}", headers=ORIGIN)
        assert answer.headers["Access-Control-Allow-Origin"] == "*", path
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin", path
        answer.close()
    assert me["header"].endswith("/original/missing.png") and me["avatar"].endswith(".png")
    for path in ("/oauth/token", "/oauth/revoke"):
        answer = visitor.call(f"POST {path}", headers=ORIGIN)
        assert answer.headers["Access-Control-Allow-Origin"] == "*", path
        asked = visitor.call(f"OPTIONS {path}", headers=ORIGIN)
        assert asked.status_code == 204 and asked.headers["Access-Control-Max-Age"]


@pytest.mark.parametrize(
    "options",
    [
        {"json": {"status": "hm", "sensitive": 1, "spoiler_text": "cw"}},
        {"json": {"status": "hm", "sensitive": "true", "spoiler_text": "cw", "language": None}},
        {"data": {"status": "hm", "sensitive": "on", "spoiler_text": "cw", "in_reply_to_id": ""}},
        {"data": {"status": "hm", "spoiler_text": "cw"}, "content_type": "multipart/form-data"},
        {"query_string": {"status": "hm", "spoiler_text": "cw"}},
        {"json": {"status": "hm", "spoiler_text": "cw", "media_ids": None, "poll": None}},
        {"query_string": {"status": "hm"}, "json": {"spoiler_text": "cw"}},
    ],
)
def test_bodies_are_read_however_they_are_sent(ann: ApiClient, options: dict[str, Any]) -> None:
    made = ann.call("POST /api/v1/statuses", **options)
    assert made.status_code == 200, made.text  # not 201
    assert (made.json["content"], made.json["spoiler_text"]) == ("<p>hm</p>", "cw")


def test_lists_come_with_and_without_brackets(ann: ApiClient) -> None:
    for name in ("id[]", "id", "id[0]"):
        assert [one["id"] for one in ann.get(f"v1/accounts/relationships?{name}=2")] == ["2"]


def test_a_get_may_have_its_parameters_in_a_body(ann: ApiClient) -> None:
    found = ann.call("GET /api/v1/accounts/familiar_followers", json={"id": ["2"]})
    assert found.json == [{"id": "2", "accounts": []}]


def test_a_delete_may_have_a_body(ann: ApiClient) -> None:
    path = f"/api/v1/lists/{ann.post('v1/lists', title='birds')['id']}/accounts"
    ann.call(f"POST {path}", data={"account_ids[]": "2"})
    assert [one["acct"] for one in ann.get(f"{path[5:]}?limit=0")] == ["ben"]  # 0: all of them
    removed = ann.call(f"DELETE {path}", data={"account_ids[]": "2"})
    assert removed.json == {} and ann.get(path[5:]) == []


def test_an_empty_time_is_never(ann: ApiClient) -> None:
    fields = {"phrase": "gull", "context[]": "home", "expires_in": ""}
    assert ann.post("v1/filters", **fields)["expires_at"] is None


def test_ids_are_digits_and_times_have_milliseconds(ann: ApiClient) -> None:
    made = ann.post("v1/statuses", status="hm")
    assert made["id"].isdecimal() and made["account"]["id"].isdecimal()
    assert TIME.fullmatch(made["created_at"]) and TIME.fullmatch(made["account"]["created_at"])
    head = ann.call("GET /api/v1/timelines/public?local=true&limit=1").headers["Link"]
    first = re.match('<([^>]+)>; rel="next"', head) or re.match('<([^>]+)>; rel="prev"', head)
    assert first and first[1].startswith("http://localhost/api/v1/") and "local=true" in first[1]


def test_a_key_of_any_length_names_one_status(ann: ApiClient) -> None:
    for key in ("k", "ключ".encode().decode("latin-1"), "x" * 255):
        made = [
            ann.call(
                "POST /api/v1/statuses", data={"status": "hm"}, headers={"Idempotency-Key": key}
            ).json["id"]
            for _ in range(2)
        ]
        assert made[0] == made[1], key


def test_too_many_calls_are_refused_with_the_time_to_wait(settings: Config) -> None:
    with serving(replace(settings, limit_api=Rate(3, 300))) as app:
        register_app(app)
        ann = connected(app, join(app, "ann"))
        answers = [ann.call("GET /api/v1/lists") for _ in range(4)]
        assert [one.status_code for one in answers] == [200, 200, 200, 429]
        assert answers[-1].json == {"error": "Too many requests"}
        assert answers[-1].headers["Retry-After"] and answers[0].headers["X-RateLimit-Remaining"]
        assert answers[-1].headers["X-RateLimit-Reset"].endswith("Z")


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", ""])
def test_bodies_that_are_neither_json_nor_a_form_are_refused(
    ann: ApiClient, content_type: str
) -> None:
    body = b'{"status": "hm"}'
    answer = ann.call("POST /api/v1/statuses", data=body, content_type=content_type)
    assert answer.status_code == 415 and set(answer.json) == {"error"}


def test_a_line_of_a_profile_that_an_app_leaves_out_is_gone(ann: ApiClient) -> None:
    def change(*lines: tuple[str, str], status: int = 200) -> Any:
        sent = [{"name": name, "value": value} for name, value in lines]
        answer = ann.call(CREDENTIALS, json={"fields_attributes": dict(enumerate(sent))})
        assert answer.status_code == status
        return answer.json

    def names() -> list[str]:
        return [one["name"] for one in ann.get("v1/accounts/1")["fields"]]

    change(("Website", "example.org"), ("Location", "marsh"))
    assert "Website and Location" in change(("Pronouns", "they"), status=422)["error"]
    ann.call(CREDENTIALS, data={"note": "hm"})
    assert names() == ["Website", "Location"]
    change(("Location", "marsh"))
    assert names() == ["Location"]
    change(("", ""))
    assert names() == []


def test_a_member_cannot_become_a_bot(ann: ApiClient) -> None:
    answer = ann.call(CREDENTIALS, json={"bot": True, "note": "beep"})
    assert answer.status_code == 422 and ann.get("v1/accounts/1")["note"] == ""
    assert ann.call(CREDENTIALS, json={"bot": False, "note": "hm"}).json["bot"] is False


def test_lines_of_a_profile_are_html_that_apps_show_as_it_is(ann: ApiClient) -> None:
    line = {"fields_attributes[0][name]": "Location", "fields_attributes[0][value]": "<b>marsh"}
    changed = ann.call(CREDENTIALS, data=line).json
    assert [one["value"] for one in changed["fields"]] == ["&lt;b&gt;marsh"]
    assert [one["value"] for one in changed["source"]["fields"]] == ["<b>marsh"]


@pytest.mark.parametrize(
    ("route", "sentence"),
    [
        ("GET /api/v1/nothing", "Not Found"),
        ("POST /api/v1/timelines/home", "Not Found"),
        ("GET /api/v2/statuses/1", "Not Found"),
        ("GET /api/v1/statuses/1/nothing", "Not Found"),
        ("GET /api/v1/statuses/abc", "Record not found"),
        ("GET /api/v1/statuses/0", "Record not found"),
        ("POST /api/v1/accounts/-1/follow", "Record not found"),
        (f"DELETE /api/v1/lists/{2**70}/accounts", "Record not found"),
    ],
)
def test_what_is_not_there_is_404_with_the_sentence_that_clients_know(
    ann: ApiClient, route: str, sentence: str
) -> None:
    answer = ann.call(route, headers=ORIGIN)
    assert (answer.status_code, answer.json) == (404, {"error": sentence})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_ids_that_nothing_can_have_are_left_out(ann: ApiClient) -> None:
    posted = ann.post("v1/statuses", status="hm")["id"]
    for path, known in (("accounts", "2"), ("accounts/relationships", "2"), ("statuses", posted)):
        query = f"id[]=abc&id[]={2**70}&id[]={known}&id[]=-1&id[]=undefined"
        assert [one["id"] for one in ann.get(f"v1/{path}?{query}")] == [known], path


def test_cursors_may_be_those_that_libraries_make_of_times(ann: ApiClient) -> None:
    posted = ann.post("v1/statuses", status="hm")["id"]
    for path in ("v1/timelines/home", "v1/timelines/public", "v1/accounts/1/statuses"):
        assert [one["id"] for one in ann.get(path, max_id=2**57)] == [posted]
        assert ann.get(path, since_id=2**57) == ann.get(path, min_id=2**57) == []
    assert ann.get("v1/notifications", max_id=2**57) == []


def test_a_length_below_nothing_counts_without_its_sign(ann: ApiClient) -> None:
    for _ in range(3):
        ann.post("v1/statuses", status="hm")
    assert len(ann.get("v1/timelines/public", limit=-2)) == 2


def test_a_length_of_nothing_gives_nothing(ann: ApiClient) -> None:
    ann.post("v1/statuses", status="hm #birds")
    ann.post("v1/tags/birds/follow")
    for path in (
        *("v1/timelines/home", "v1/timelines/public", "v1/accounts/1/statuses", "v1/directory"),
        *("v1/notifications", "v1/conversations", "v1/followed_tags", "v1/trends/statuses"),
    ):
        answer = ann.call(f"GET /api/{path}?limit=0")
        assert (answer.json, "Link" in answer.headers) == ([], False), path
    assert not any(ann.get("v2/search", q="hm", limit=0).values())
    assert ann.get("v2/notifications", limit=0)["notification_groups"] == []
    assert ann.call("GET /api/v1/accounts/4242/statuses?limit=0").status_code == 404


def test_a_report_of_an_unknown_kind_is_of_another_one(ann: ApiClient) -> None:
    assert ann.post("v1/reports", account_id="2", category="odd")["category"] == "other"


def test_a_report_names_the_rules_that_were_broken(settings: Config) -> None:
    with serving(replace(settings, rules="Be kind\nNo spam\nNo bots")) as app:
        ann, _ = connected(app, join(app, "ann")), join(app, "ben")
        sent = {"account_id": "2", "category": "violation", "rule_ids": ["2", "3", "9"]}
        answer = ann.call("POST /api/v1/reports", json={**sent, "comment": "look"}).json
        assert (answer["category"], answer["rule_ids"]) == ("violation", ["2", "3"])
        [report] = list_newest(site_of(app).db)
        assert report.reason == "look\nNo spam\nNo bots"
